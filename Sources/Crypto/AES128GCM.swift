import COpenSSL

/// AES-128-GCM with a 12-octet nonce and a 16-octet tag behind the ciphertext (RFC 5116, section 5.1), no additional data.
package enum AES128GCM {
    package static let keyLength = 16
    package static let nonceLength = 12
    package static let tagLength = 16

    /// The plaintext of `sealed` (ciphertext, then tag).
    ///
    /// - Throws: `CryptoError.authentication` for any input that was not sealed under this key and nonce, also one
    ///   that is too short to hold a tag.
    package static func open(_ sealed: ArraySlice<UInt8>, key: [UInt8], nonce: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= tagLength else { throw .authentication }
        var tag = Array(sealed.suffix(tagLength))
        let ciphertext = Array(sealed.dropLast(tagLength))
        let context = try CipherContext()
        try context.start(key: key, nonce: nonce, encrypting: false)
        let plaintext = try context.update(ciphertext)
        guard EVP_CIPHER_CTX_ctrl(context.raw, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), &tag) == 1 else {
            throw .library("EVP_CTRL_AEAD_SET_TAG")
        }
        guard context.finish() else { throw .authentication }
        return plaintext
    }

    /// The ciphertext of `plaintext`, then its tag.
    ///
    /// A key must never seal two messages with one nonce: that would give away both and the means to forge more.
    package static func seal(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) throws(CryptoError) -> [UInt8] {
        let context = try CipherContext()
        try context.start(key: key, nonce: nonce, encrypting: true)
        let ciphertext = try context.update(plaintext)
        var tag = [UInt8](repeating: 0, count: tagLength)
        guard
            context.finish(),
            EVP_CIPHER_CTX_ctrl(context.raw, EVP_CTRL_AEAD_GET_TAG, Int32(tagLength), &tag) == 1
        else { throw .library("EVP_CTRL_AEAD_GET_TAG") }
        return ciphertext + tag
    }
}

private struct CipherContext: ~Copyable {
    let raw: OpaquePointer

    init() throws(CryptoError) {
        guard let raw = EVP_CIPHER_CTX_new() else { throw .library("EVP_CIPHER_CTX_new") }
        self.raw = raw
    }

    deinit { EVP_CIPHER_CTX_free(raw) }

    borrowing func start(key: [UInt8], nonce: [UInt8], encrypting: Bool) throws(CryptoError) {
        // OpenSSL reads 16 and 12 octets from these pointers whatever is behind them.
        guard
            key.count == AES128GCM.keyLength,
            nonce.count == AES128GCM.nonceLength,
            EVP_CipherInit_ex(raw, EVP_aes_128_gcm(), nil, key, nonce, encrypting ? 1 : 0) == 1
        else { throw .library("EVP_CipherInit_ex") }
    }

    /// GCM is a stream: it gives as many octets as it takes.
    borrowing func update(_ input: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard !input.isEmpty else { return [] }
        var output = [UInt8](repeating: 0, count: input.count)
        var written: Int32 = 0
        guard
            let length = Int32(exactly: input.count),
            EVP_CipherUpdate(raw, &output, &written, input, length) == 1,
            written == length
        else { throw .library("EVP_CipherUpdate") }
        return output
    }

    borrowing func finish() -> Bool {
        var rest = [UInt8](repeating: 0, count: AES128GCM.tagLength)
        var written: Int32 = 0
        return EVP_CipherFinal_ex(raw, &rest, &written) == 1
    }
}
