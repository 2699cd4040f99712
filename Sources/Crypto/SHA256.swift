import COpenSSL

/// The SHA-256 digest (FIPS 180-4).
package enum SHA256 {
    /// The 32 octets of the digest of `octets`.
    package static func digest(_ octets: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        // The one-shot call on a default context allocates nothing that can fail and returns its output buffer.
        _ = COpenSSL.SHA256(octets, octets.count, &digest)
        return digest
    }
}
