import COpenSSL

/// OpenSSL's algorithms, looked up once for the process.
///
/// Whoever names one in a call has it looked up in that call, which takes longer than the algorithm does with the few
/// octets of a key. Unchecked, since once they are made OpenSSL takes them as `const`: threads only read them.
struct Algorithm: @unchecked Sendable {
    private let raw: OpaquePointer

    private static let aes128GCM = EVP_CIPHER_fetch(nil, "AES-128-GCM", nil).map(Algorithm.init(raw:))
    private static let aes256GCM = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil).map(Algorithm.init(raw:))
    private static let hmac = relay_EVP_HMAC_SHA256().map(Algorithm.init(raw:))

    private init(raw: OpaquePointer) { self.raw = raw }

    /// An `EVP_CIPHER` of AES in GCM, for keys of 16 or 32 octets.
    static func cipher(keyLength: Int) throws(CryptoError) -> OpaquePointer {
        guard let cipher = keyLength == 16 ? aes128GCM : keyLength == 32 ? aes256GCM : nil else {
            throw .library("EVP_CIPHER_fetch")
        }
        return cipher.raw
    }

    /// An `EVP_MAC_CTX` of HMAC with SHA-256, to be copied and given a key.
    static func authentication() throws(CryptoError) -> OpaquePointer {
        guard let hmac else { throw .library("EVP_MAC_fetch") }
        return hmac.raw
    }
}
