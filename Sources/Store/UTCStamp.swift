import Glibc

/// A moment as file names have it: `20261130T235959Z`, in which the order of the names is that of time.
enum UTCStamp {
    /// The last second that has four digits for its year.
    static let last: Int64 = 253_402_300_799

    /// The text for Unix seconds; those before the year 0 or after 9999 are taken for its edge.
    static func text(_ time: Int64) -> String {
        var seconds = time_t(min(max(time, -62_167_219_200), last))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
        }
        let date = digits(parts.tm_year + 1_900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2)
        return date + "T" + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2) + "Z"
    }

    /// The Unix seconds that a text stands for; nil unless it is exactly what ``text(_:)`` makes of them.
    static func time(_ text: Substring) -> Int64? {
        let octets = Array(text.utf8)
        guard octets.count == 16 else { return nil }
        func number(_ range: Range<Int>) -> Int32 {
            octets[range].reduce(0) { $0 * 10 + Int32($1) - 48 }
        }
        guard octets.enumerated().allSatisfy({ [8, 15].contains($0) || (48...57).contains($1) }) else { return nil }
        var parts = tm()
        parts.tm_year = number(0..<4) - 1_900
        parts.tm_mon = number(4..<6) - 1
        parts.tm_mday = number(6..<8)
        parts.tm_hour = number(9..<11)
        parts.tm_min = number(11..<13)
        parts.tm_sec = number(13..<15)
        // A 31st of February is taken for another day, of which the text is another one.
        let time = Int64(timegm(&parts))
        return self.text(time) == text ? time : nil
    }
}
