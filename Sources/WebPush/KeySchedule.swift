import Crypto

/// The keys of one message, from the shared secret down to the nonce (RFC 8291, sections 3.3 and 3.4).
///
/// Every step is kept, because the RFC's Appendix A publishes every step.
struct KeySchedule {
    let sharedSecret: [UInt8]
    let combiningKey: [UInt8]
    let inputKey: [UInt8]
    let pseudoRandomKey: [UInt8]
    /// 16 octets.
    let contentEncryptionKey: [UInt8]
    /// 12 octets; the one record has sequence number 0, so this is its nonce as it stands (RFC 8188, section 2.3).
    let nonce: [UInt8]

    /// - Parameters:
    ///   - sharedSecret: the x coordinate of the receiver's and the sender's ECDH, 32 octets.
    ///   - salt: the salt of the message's header, 16 octets.
    init(
        sharedSecret: [UInt8],
        authSecret: [UInt8],
        receiver: [UInt8],
        sender: [UInt8],
        salt: [UInt8]
    ) throws(CryptoError) {
        self.sharedSecret = sharedSecret
        combiningKey = try HKDF.extract(salt: authSecret, inputKey: sharedSecret)
        inputKey = try HKDF.expand(combiningKey, info: Array("WebPush: info\0".utf8) + receiver + sender, count: 32)
        pseudoRandomKey = try HKDF.extract(salt: salt, inputKey: inputKey)
        contentEncryptionKey = try HKDF.expand(
            pseudoRandomKey,
            info: Array("Content-Encoding: aes128gcm\0".utf8),
            count: 16
        )
        nonce = try HKDF.expand(
            pseudoRandomKey,
            info: Array("Content-Encoding: nonce\0".utf8),
            count: AESGCM.nonceLength
        )
    }
}
