package import Crypto

extension EncryptedMessage {
    /// The body that an application server posts for a receiver: one record, sealed with a key that is made for it and
    /// forgotten (RFC 8291, section 3.1; RFC 8188, section 2).
    ///
    /// It decrypts nothing and names nobody, so that whoever carries it learns as little as an instance does.
    package static func seal(_ plaintext: [UInt8], for receiver: ReceiverKeys) throws(CryptoError) -> [UInt8] {
        let sender = try P256PrivateKey()
        let salt = try Random.octets(saltLength)
        let keys = try KeySchedule(
            sharedSecret: sender.sharedSecret(with: receiver.privateKey.publicPoint),
            authSecret: receiver.authSecret,
            receiver: receiver.privateKey.publicPoint,
            sender: sender.publicPoint,
            salt: salt
        )
        // The delimiter of a last record, and no padding.
        let record = try AESGCM.seal(plaintext + [0x02], key: keys.contentEncryptionKey, nonce: keys.nonce)
        let size = UInt32(clamping: max(record.count, smallestRecordSize))
        return salt + withUnsafeBytes(of: size.bigEndian, Array.init)
            + [UInt8(P256PrivateKey.pointLength)] + sender.publicPoint + record
    }
}
