/// Figures as a person says them, in English.
enum Words {
    /// With a comma between thousands: `1,234`.
    static func number(_ number: some BinaryInteger) -> String {
        let digits = String(number.magnitude)
        var text = number < 0 ? "−" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// A number and its noun: `1 push`, `1,234 pushes`.
    static func count(_ number: some BinaryInteger, _ one: String, _ many: String) -> String {
        "\(Self.number(number)) \(number == 1 ? one : many)"
    }

    /// A length of time in its largest unit, rounded down: `3 hours`.
    static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: "less than a minute"
        case ..<3_600: count(seconds / 60, "minute", "minutes")
        case ..<172_800: count(seconds / 3_600, "hour", "hours")
        case ..<5_259_492: count(seconds / 86_400, "day", "days")
        case ..<63_113_904: count(seconds / 2_629_746, "month", "months")
        default: count(seconds / 31_556_952, "year", "years")
        }
    }

    /// How long ago something was, or in how long it will be.
    static func relative(_ time: Int64, now: Int64) -> String {
        let (distance, overflow) = now.subtractingReportingOverflow(time)
        if overflow || distance == .min { return time < now ? "long ago" : "in the far future" }
        return distance > -60 ? "\(duration(distance)) ago" : "in \(duration(-distance))"
    }

    /// A size in the unit that leaves up to four digits: `3.4 GB`.
    static func size(_ octets: Int64) -> String {
        var (value, rest) = (max(octets, 0), Int64(0))
        for unit in ["octets", "kB", "MB", "GB", "TB"] {
            if value < 1_000 || unit == "TB" {
                return unit == "octets" || value >= 100 ? "\(number(value)) \(unit)" : "\(value).\(rest / 100) \(unit)"
            }
            (value, rest) = value.quotientAndRemainder(dividingBy: 1_000)
        }
        return ""
    }

    /// Milliseconds, as seconds from one on: `80 ms`, `1.5 s`.
    static func milliseconds(_ time: Int) -> String {
        if time < 1_000 { return "\(time) ms" }
        let tenths = time % 1_000 / 100
        return tenths == 0 ? "\(number(time / 1_000)) s" : "\(number(time / 1_000)).\(tenths) s"
    }

    /// What lies between two moments of a schedule: `24 hours`, `hour`.
    static func interval(_ seconds: Int64) -> String {
        switch seconds {
        case 60: "minute"
        case 3_600: "hour"
        default: duration(seconds)
        }
    }

    /// With a capital and a full stop, as far as the text has none.
    ///
    /// Only a plain English word gets a capital, so that names, variables and other scripts stay as they are.
    static func sentence(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { return text }
        let word = scalars.prefix { ("a"..."z").contains($0) }
        let isWord = !word.isEmpty && [" ", ",", ":", nil].contains(scalars.dropFirst(word.count).first)
        let start = isWord ? String(first).uppercased() : String(first)
        let end = ".!?…:".unicodeScalars.contains(last) ? "" : "."
        return start + String(String.UnicodeScalarView(scalars.dropFirst())) + end
    }
}
