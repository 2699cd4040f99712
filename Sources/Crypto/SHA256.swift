import COpenSSL

/// The SHA-256 digest (FIPS 180-4).
package enum SHA256 {
    /// The 32 octets of the digest of `octets`.
    package static func digest(_ octets: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        // The one-shot call allocates nothing that can fail; it returns the buffer it was given.
        _ = COpenSSL.SHA256(octets, octets.count, &digest)
        return digest
    }

    /// Whether two digests are the same, in a time that does not depend on where they differ.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }
}
