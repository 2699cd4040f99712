import COpenSSL

/// HMAC-SHA-256 (RFC 2104).
package enum HMAC {
    /// The 32 octets of the authentication code of `message` under `key`.
    package static func sha256(key: [UInt8], message: [UInt8]) throws(CryptoError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var length = 0
        let context = EVP_MAC_CTX_dup(try Algorithm.authentication())
        defer { EVP_MAC_CTX_free(context) }
        // A nil key would leave the one that the copy has; an empty array's pointer is never nil here, and the length is
        // given, so an empty key is the empty key.
        guard
            context != nil,
            EVP_MAC_init(context, key, key.count, nil) == 1,
            EVP_MAC_update(context, message, message.count) == 1,
            EVP_MAC_final(context, &code, &length, code.count) == 1,
            length == code.count
        else { throw .library("EVP_MAC") }
        return code
    }
}

/// HKDF with SHA-256 (RFC 5869), for outputs of at most one hash: all that RFC 8188 and RFC 8291 ask for.
package enum HKDF {
    /// The pseudo-random key of RFC 5869, section 2.2: 32 octets.
    package static func extract(salt: [UInt8], inputKey: [UInt8]) throws(CryptoError) -> [UInt8] {
        try HMAC.sha256(key: salt, message: inputKey)
    }

    /// The first `count` octets of output key (RFC 5869, section 2.3); `count` is 1 to 32, more is cut to 32.
    package static func expand(_ pseudoRandomKey: [UInt8], info: [UInt8], count: Int) throws(CryptoError) -> [UInt8] {
        let block = try HMAC.sha256(key: pseudoRandomKey, message: info + [1])
        return Array(block.prefix(count))
    }
}
