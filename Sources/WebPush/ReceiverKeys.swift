package import Crypto

/// What a subscription needs to read its messages: the key pair and the auth secret of RFC 8291, sections 3.1 and 3.2.
package struct ReceiverKeys: Sendable {
    package let privateKey: P256PrivateKey
    /// 16 octets that the sender knows as well; it makes the public key alone worthless to a forger.
    package let authSecret: [UInt8]

    package static let authSecretLength = 16

    /// Fresh keys for a new subscription.
    package init() throws(CryptoError) {
        privateKey = try P256PrivateKey()
        authSecret = try Random.octets(Self.authSecretLength)
    }

    /// Keys as they were stored; throws `notAP256PrivateKey` when the scalar is not one.
    ///
    /// - Parameter publicPoint: see ``P256PrivateKey/init(scalar:publicPoint:)``.
    package init(scalar: [UInt8], publicPoint: [UInt8]? = nil, authSecret: [UInt8]) throws(CryptoError) {
        privateKey = try P256PrivateKey(scalar: scalar, publicPoint: publicPoint)
        self.authSecret = authSecret
    }

    /// Whether the public point is the scalar's: where it is not, no message opens.
    package var arePair: Bool {
        (try? P256PrivateKey(scalar: privateKey.scalar).publicPoint) == privateKey.publicPoint
    }

    /// The plaintext of a message without its padding; it may be empty.
    package func open(_ message: EncryptedMessage) throws(MessageError) -> [UInt8] {
        let padded = try MessageError.mapping { () throws(CryptoError) in
            let keys = try keySchedule(for: message)
            return try AESGCM.open(message.record, key: keys.contentEncryptionKey, nonce: keys.nonce)
        }
        return try unpadded(padded)
    }

    func keySchedule(for message: EncryptedMessage) throws(CryptoError) -> KeySchedule {
        try KeySchedule(
            sharedSecret: privateKey.sharedSecret(with: message.senderKey),
            authSecret: authSecret,
            receiver: privateKey.publicPoint,
            sender: message.senderKey,
            salt: message.salt
        )
    }
}

/// Cuts the padding of a last record: zeros, and before them the delimiter 0x02 (RFC 8188, section 2).
private func unpadded(_ padded: [UInt8]) throws(MessageError) -> [UInt8] {
    let delimiter = padded.withUnsafeBytes { octets in
        var end = octets.count
        // Pixelfed's padding is some 2,600 zeros.
        while end >= 8, octets.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self) == 0 { end -= 8 }
        return octets[..<end].lastIndex { $0 != 0 }
    }
    guard let delimiter else { throw .noDelimiter }
    guard padded[delimiter] == 0x02 else { throw .badDelimiter }
    return Array(padded[..<delimiter])
}
