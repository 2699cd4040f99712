import COpenSSL

/// AES-GCM with a 12-octet nonce and a 16-octet tag behind the ciphertext (RFC 5116, sections 5.1 and 5.2).
///
/// The key decides which: 16 octets are AES-128, which RFC 8188 is made of, and 32 are AES-256.
package enum AESGCM {
    package static let nonceLength = 12
    package static let tagLength = 16

    /// The plaintext of `sealed` (ciphertext, then tag).
    ///
    /// - Parameter context: the additional data that it was sealed with.
    /// - Throws: `CryptoError.authentication` for any input that was not sealed under this key and nonce and in this
    ///   context, also one that is too short to hold a tag.
    package static func open(
        _ sealed: ArraySlice<UInt8>,
        key: [UInt8],
        nonce: [UInt8],
        context data: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= tagLength else { throw .authentication }
        var tag = Array(sealed.suffix(tagLength))
        let context = try CipherContext()
        try context.start(key: key, nonce: nonce, encrypting: false)
        try context.authenticate(data)
        let plaintext = try context.update(sealed.dropLast(tagLength))
        guard EVP_CIPHER_CTX_ctrl(context.raw, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), &tag) == 1 else {
            throw .library("EVP_CTRL_AEAD_SET_TAG")
        }
        guard context.finish() else { throw .authentication }
        return plaintext
    }

    /// The ciphertext of `plaintext`, then its tag.
    ///
    /// A key must never seal two messages with one nonce: that would give away both and the means to forge more.
    ///
    /// - Parameter context: additional data that is not part of the result and has to be shown again to open it.
    package static func seal(
        _ plaintext: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        context data: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        let context = try CipherContext()
        try context.start(key: key, nonce: nonce, encrypting: true)
        try context.authenticate(data)
        let ciphertext = try context.update(plaintext[...])
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
        let cipher = try Algorithm.cipher(keyLength: key.count)
        // OpenSSL reads as many octets as the cipher needs from these pointers, whatever is behind them.
        guard
            nonce.count == AESGCM.nonceLength,
            EVP_CipherInit_ex(raw, cipher, nil, key, nonce, encrypting ? 1 : 0) == 1
        else { throw .library("EVP_CipherInit_ex") }
    }

    borrowing func authenticate(_ data: [UInt8]) throws(CryptoError) {
        guard !data.isEmpty else { return }
        var taken: Int32 = 0
        guard let length = Int32(exactly: data.count), EVP_CipherUpdate(raw, nil, &taken, data, length) == 1 else {
            throw .library("EVP_CipherUpdate")
        }
    }

    /// GCM is a stream: it gives as many octets as it takes.
    borrowing func update(_ input: ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
        guard !input.isEmpty else { return [] }
        var output = [UInt8](repeating: 0, count: input.count)
        var written: Int32 = 0
        let code = input.withUnsafeBufferPointer { octets in
            EVP_CipherUpdate(raw, &output, &written, octets.baseAddress, Int32(clamping: octets.count))
        }
        guard code == 1, Int(written) == input.count else { throw .library("EVP_CipherUpdate") }
        return output
    }

    borrowing func finish() -> Bool {
        var rest = [UInt8](repeating: 0, count: AESGCM.tagLength)
        var written: Int32 = 0
        return EVP_CipherFinal_ex(raw, &rest, &written) == 1
    }
}
