import Crypto

/// A body in the coding `aesgcm`, which came before RFC 8291 (draft-ietf-webpush-encryption-04, and for the coding itself
/// draft-ietf-httpbis-encryption-encoding-03).
///
/// Its salt and the sender's key are not in the body but in the fields `Encryption` and `Crypto-Key`.
package struct LegacyMessage {
    /// 16 octets.
    let salt: [UInt8]
    /// 65 octets that begin with 0x04, not yet known to be on the curve.
    package let senderKey: [UInt8]
    /// Octets of plaintext in a whole record; the tag comes on top of it.
    let recordSize: Int
    /// The one record.
    let record: [UInt8]

    /// What is wrong with the fields.
    package enum FieldError: String, Error {
        case encryption = "Encryption"
        case cryptoKey = "Crypto-Key"
    }

    /// Reads the fields; each has to name its value once, whatever else stands beside it.
    package init(encryption: [[UInt8]], cryptoKey: [[UInt8]], body: [UInt8]) throws(FieldError) {
        guard
            let parameters = Parameters(encryption), let salt = parameters.octets("salt"), salt.count == 16,
            let recordSize = Self.recordSize(parameters)
        else { throw .encryption }
        guard
            let keys = Parameters(cryptoKey), let senderKey = keys.octets("dh"),
            senderKey.count == P256PrivateKey.pointLength, senderKey.first == 0x04
        else { throw .cryptoKey }
        self.salt = salt
        self.senderKey = senderKey
        self.recordSize = recordSize
        record = body
    }

    /// The field that gives what a body in the present coding carries itself, so that it is not clear which one counts.
    package static func conflict(encryption: [[UInt8]], cryptoKey: [[UInt8]]) -> FieldError? {
        guard let parameters = Parameters(encryption), parameters.count(of: "salt") == 0 else { return .encryption }
        guard let keys = Parameters(cryptoKey), keys.count(of: "dh") == 0 else { return .cryptoKey }
        return nil
    }

    /// `rs` is digits, 4096 where it is not given; a record has to hold the two octets of its padding's length and more.
    private static func recordSize(_ parameters: Parameters) -> Int? {
        guard parameters.count(of: "rs") > 0 else { return 4_096 }
        guard let digits = parameters.value("rs"), (1...10).contains(digits.count) else { return nil }
        var size = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            size = size * 10 + Int(digit - 0x30)
        }
        return size > 2 ? size : nil
    }
}

extension ReceiverKeys {
    /// The plaintext of a message in the old coding, without its padding.
    package func open(_ message: LegacyMessage) throws(MessageError) -> [UInt8] {
        guard message.record.count >= 2 + AESGCM.tagLength else { throw .shortRecord }
        // A record that is full would have to be followed by another: the last one is always shorter.
        guard message.record.count - AESGCM.tagLength < message.recordSize else { throw .multipleRecords }
        let padded = try MessageError.mapping { () throws(CryptoError) in
            let (key, nonce) = try legacyKeys(for: message)
            return try AESGCM.open(message.record[...], key: key, nonce: nonce)
        }
        let padding = Int(padded[0]) << 8 | Int(padded[1])
        guard padded.count >= 2 + padding, padded[2..<2 + padding].allSatisfy({ $0 == 0 }) else { throw .badPadding }
        return Array(padded[(2 + padding)...])
    }

    /// Content-encryption key and nonce (draft-ietf-webpush-encryption-04, section 4; encoding-03, section 3).
    func legacyKeys(for message: LegacyMessage) throws(CryptoError) -> (key: [UInt8], nonce: [UInt8]) {
        let sharedSecret = try privateKey.sharedSecret(with: message.senderKey)
        let combined = try HKDF.extract(salt: authSecret, inputKey: sharedSecret)
        let inputKey = try HKDF.expand(combined, info: Array("Content-Encoding: auth\0".utf8), count: 32)
        let pseudoRandomKey = try HKDF.extract(salt: message.salt, inputKey: inputKey)
        let length: [UInt8] = [0, UInt8(P256PrivateKey.pointLength)]
        let context = Array("P-256\0".utf8) + length + privateKey.publicPoint + length + message.senderKey
        let key = try HKDF.expand(
            pseudoRandomKey,
            info: Array("Content-Encoding: aesgcm\0".utf8) + context,
            count: 16
        )
        let nonce = try HKDF.expand(
            pseudoRandomKey,
            info: Array("Content-Encoding: nonce\0".utf8) + context,
            count: AESGCM.nonceLength
        )
        return (key, nonce)
    }
}
