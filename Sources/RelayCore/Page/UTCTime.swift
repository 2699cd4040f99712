/// A moment as date and time of day in UTC, from 1970 to 9999; what is beyond counts as the nearest.
struct UTCTime {
    private let year, month, day, hour, minute, second: Int64

    /// - Parameter seconds: Unix time.
    init(_ seconds: Int64) {
        let seconds = min(max(seconds, 0), 253_402_300_799)
        (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60)
        // Years begin in March here, so that the day of a leap year is the last: 719,468 days lie before 1970.
        let days = seconds / 86_400 + 719_468
        let (era, dayOfEra) = (days / 146_097, days % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// As a machine reads it: `2026-11-30T14:32:10Z`.
    var machine: String { "\(date)T\(clock):\(Self.two(second))Z" }

    /// As a person reads it: `2026-11-30 14:32 UTC`.
    var words: String { "\(date) \(clock) UTC" }

    /// Hours and minutes: `14:32`.
    var clock: String { "\(Self.two(hour)):\(Self.two(minute))" }

    private var date: String { "\(year)-\(Self.two(month))-\(Self.two(day))" }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
