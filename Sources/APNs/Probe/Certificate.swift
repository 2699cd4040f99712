import CCurl

/// What a certificate of a peer says about itself, as far as libcurl tells.
package struct Certificate: Sendable, Equatable {
    package let subject: String
    package let issuer: String
    /// Seconds since 1970.
    package let notAfter: Int64

    package init(subject: String, issuer: String, notAfter: Int64) {
        self.subject = subject
        self.issuer = issuer
        self.notAfter = notAfter
    }

    /// Whole days that are left; below 0 once it has expired.
    package func daysLeft(at now: Int64) -> Int { Self.daysLeft(until: notAfter, at: now) }

    /// The same of a certificate that only the end is known of, both in seconds since 1970.
    package static func daysLeft(until end: Int64, at now: Int64) -> Int {
        let (left, hasOverflowed) = end.subtractingReportingOverflow(now)
        guard !hasOverflowed else { return end > now ? .max : .min }
        // Rounded down, so that the day before the end is 0 and the one behind it -1.
        return Int(left / 86_400) - (left % 86_400 < 0 ? 1 : 0)
    }

    /// Reads libcurl's `Name:value` lines; nil for one without an end.
    init?(lines: [String]) {
        func value(_ name: String) -> String? {
            lines.first { $0.hasPrefix("\(name):") }.map { String($0.dropFirst(name.count + 1)) }
        }
        guard let end = value("Expire date").flatMap(seconds(ofDate:)) else { return nil }
        self.init(subject: value("Subject") ?? "", issuer: value("Issuer") ?? "", notAfter: end)
    }
}

/// A date in one of the forms of HTTP or of a certificate, in seconds since 1970; nil for anything else.
func seconds(ofDate text: String) -> Int64? {
    let seconds = curl_getdate(text, nil)
    // -1 is also the last second of 1969, which nothing here is dated by.
    return seconds == -1 ? nil : Int64(seconds)
}
