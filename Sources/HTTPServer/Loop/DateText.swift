import Glibc

/// The wall clock as the Date field has it, written once a second (RFC 9110, section 6.6.1).
struct DateText {
    private var second: time_t?
    private var text = ""

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The text for now.
    mutating func now() -> String {
        let now = time(nil)
        if second != now { (second, text) = (now, Self.text(now)) }
        return text
    }

    /// An IMF-fixdate, always in English and GMT: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    static func text(_ second: time_t) -> String {
        var second = second
        var parts = tm()
        // Fails only when the year does not fit an Int32; the epoch is as wrong a date as any.
        if gmtime_r(&second, &parts) == nil { parts = tm() }
        let day = days[Int(parts.tm_wday) % days.count]
        let month = months[Int(parts.tm_mon) % months.count]
        let date = "\(two(parts.tm_mday)) \(month) \(Int(parts.tm_year) + 1_900)"
        return "\(day), \(date) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }

    private static func two(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
