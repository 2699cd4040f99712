import Crypto

/// What is stored of a subscription's id: its SHA-256, so that a copy of the file yields no working endpoint.
///
/// An id is 128 random bits, too many to search for, so the digest needs no salt and no stretching.
package struct SubscriptionID: Hashable, Sendable {
    /// The 32 octets of the digest.
    package let digest: [UInt8]

    /// The id that a request names: `id` is the URL's segment, octet for octet, neither decoded nor case-folded.
    package init(hashing id: [UInt8]) {
        digest = SHA256.digest(id)
    }

    /// In one go: the digest's octets would be hashed one after the other.
    package func hash(into hasher: inout Hasher) {
        digest.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// The id of a row; `digest` is 32 octets, which the table's CHECK holds.
    init(digest: [UInt8]) {
        self.digest = digest
    }

    /// Whether a text may be how the operator names one: the first 8 to 64 lower-case hex digits of a digest.
    package static func isName(_ text: String) -> Bool {
        (8...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// How the operator names it where ``shortName`` is that of another one as well: all 64 hex digits.
    package var fullName: String {
        Hex.encode(digest)
    }

    /// How logs name a subscription: the first 8 hex digits of the digest, which open no endpoint.
    package var shortName: String {
        Hex.encode(Array(digest.prefix(4)))
    }
}
