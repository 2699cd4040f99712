/// ECDSA on P-256 with SHA-256, as JOSE names and writes it (RFC 7518, section 3.4).
package enum ES256 {
    /// Whether octets are a public key: an uncompressed point on the curve.
    package static func isPublicKey(_ point: [UInt8]) -> Bool {
        guard point.count == P256PrivateKey.pointLength, point.first == 0x04 else { return false }
        do throws(CryptoError) {
            _ = try Key(publicPoint: point)
            return true
        } catch {
            return false
        }
    }

    /// Whether `signature` is one of `message` by the key with this public point.
    ///
    /// - Parameters:
    ///   - signature: r then s, 32 octets each; of another length it is none.
    ///   - point: an uncompressed point, 65 octets.
    /// - Throws: `notAPoint` for a point that is none.
    package static func verify(
        _ signature: [UInt8],
        of message: [UInt8],
        by point: [UInt8]
    ) throws(CryptoError) -> Bool {
        guard point.count == P256PrivateKey.pointLength, point.first == 0x04 else { throw .notAPoint }
        guard signature.count == 64 else { return false }
        return try Key(publicPoint: point).verify(signature, of: message)
    }
}
