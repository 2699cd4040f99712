/// How much a message matters to somebody whose battery is low (RFC 8030, section 5.3).
package enum Urgency: String, Sendable {
    case veryLow = "very-low"
    case low
    case normal
    case high

    /// Reads one of the four words, upper and lower case being the same; anything else, a list too, is nil.
    package init?(parsing value: [UInt8]) {
        guard value.count <= "very-low".utf8.count else { return nil }
        self.init(rawValue: String(decoding: value, as: UTF8.self).lowercased())
    }
}
