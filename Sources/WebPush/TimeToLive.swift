/// How long a push service should hold a message for a device that cannot be reached (RFC 8030, section 5.2).
package struct TimeToLive: Sendable, Equatable {
    /// 0 (deliver now or never) up to 30 days, the longest that Apple keeps a notification.
    package let seconds: Int64

    /// Apple stores a notification for 30 days at most.
    private static let longest: Int64 = 30 * 86_400
    /// What a sender that names no time gets: 28 days, the default of the library that Pixelfed sends with.
    package static let standard = TimeToLive(seconds: 28 * 86_400)

    private init(seconds: Int64) { self.seconds = seconds }

    /// Reads `1*DIGIT`; a number of any length is clamped to 30 days, anything else is nil.
    package init?(parsing value: [UInt8]) {
        guard !value.isEmpty else { return nil }
        var seconds: Int64 = 0
        for octet in value {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) else { return nil }
            // At most ten times 30 days before the clamp, so no number of digits overflows.
            seconds = min(seconds * 10 + Int64(octet - UInt8(ascii: "0")), Self.longest)
        }
        self.init(seconds: seconds)
    }
}
