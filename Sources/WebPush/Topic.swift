import Crypto

/// A name under which a later message replaces an earlier one (RFC 8030, section 5.4).
package struct Topic: Sendable, Equatable {
    /// 1 to 32 letters of base64url.
    package let octets: [UInt8]

    /// Nil unless the value is 1 to 32 octets of the alphabet of RFC 4648, section 5.
    package init?(parsing value: [UInt8]) {
        guard (1...32).contains(value.count), value.allSatisfy(Base64URL.isLetter) else { return nil }
        octets = value
    }
}
