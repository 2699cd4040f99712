import Glibc

/// A moment as date and time of day in UTC, from 1970 to 9999; what is beyond counts as the nearest.
struct UTCTime {
    private var parts = tm()

    /// - Parameter seconds: Unix time.
    init(_ seconds: Int64) {
        var seconds = time_t(min(max(seconds, 0), 253_402_300_799))
        gmtime_r(&seconds, &parts)
    }

    /// As a machine reads it: `2026-11-30T14:32:10Z`.
    var machine: String { "\(date)T\(clock):\(Self.two(parts.tm_sec))Z" }

    /// As a person reads it: `2026-11-30 14:32 UTC`.
    var words: String { "\(date) \(clock) UTC" }

    /// Hours and minutes: `14:32`.
    var clock: String { "\(Self.two(parts.tm_hour)):\(Self.two(parts.tm_min))" }

    private var date: String {
        "\(parts.tm_year + 1_900)-\(Self.two(parts.tm_mon + 1))-\(Self.two(parts.tm_mday))"
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
