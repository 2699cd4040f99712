import Glibc

/// The octets of a line of the log, put together pair by pair; every push writes one.
struct LogLineText {
    private let format: Log.Format
    private var octets: [UInt8] = []

    init(_ format: Log.Format) {
        self.format = format
        octets.reserveCapacity(256)
    }

    mutating func add(_ key: String, _ value: String) {
        switch format {
        case .text:
            if !octets.isEmpty { octets += " ".utf8 }
            octets += key.utf8
            octets += "=".utf8
            if Self.isPlain(value) { octets += value.utf8 } else { addQuoted(value) }
        case .json:
            octets += (octets.isEmpty ? "{" : ",").utf8
            addQuoted(key)
            octets += ":".utf8
            addQuoted(value)
        }
    }

    /// The whole line, with its line feed.
    consuming func ended() -> String {
        octets += (format == .json ? "}\n" : "\n").utf8
        return String(decoding: octets, as: UTF8.self)
    }

    /// The time of the line.
    static func now() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return text(of: now)
    }

    /// A time in UTC to the millisecond, `2026-11-30T14:32:10.123Z`.
    static func text(of moment: timespec) -> String {
        var seconds = moment.tv_sec
        var time = tm()
        gmtime_r(&seconds, &time)
        var octets: [UInt8] = []
        octets.reserveCapacity(24)
        func add(_ number: Int, _ digits: Int, _ end: Unicode.Scalar) {
            var unit = 1
            for _ in 1..<digits { unit *= 10 }
            while unit > 0 {
                octets.append(UInt8(ascii: "0") + UInt8(number / unit % 10))
                unit /= 10
            }
            octets.append(UInt8(ascii: end))
        }
        add(Int(time.tm_year) + 1_900, 4, "-")
        add(Int(time.tm_mon) + 1, 2, "-")
        add(Int(time.tm_mday), 2, "T")
        add(Int(time.tm_hour), 2, ":")
        add(Int(time.tm_min), 2, ":")
        add(Int(time.tm_sec), 2, ".")
        add(moment.tv_nsec / 1_000_000, 3, "Z")
        return String(decoding: octets, as: UTF8.self)
    }

    /// Whether a value can stand without quotes and still be cut out of its line by a space.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x3d && $0 != 0x5c }
    }

    /// A JSON string of printable ASCII alone, so that no value can end its line or colour a terminal.
    private mutating func addQuoted(_ text: String) {
        octets += "\"".utf8
        for unit in text.utf16 {
            switch unit {
            case 0x22, 0x5c: octets += [0x5c, UInt8(unit)]
            case 0x20...0x7e: octets.append(UInt8(unit))
            default:
                octets += "\\u".utf8
                octets += String(0x1_0000 + UInt32(unit), radix: 16).utf8.dropFirst()
            }
        }
        octets += "\"".utf8
    }
}
