import Crypto
import Foundation
import RelayTesting
import Testing

/// A body of `aes128gcm` whose every part can be wrong, written from the RFCs and not from the relay.
struct ForgedBody {
    let p256dh: [UInt8]
    var auth: [UInt8]
    var recordSize: UInt32 = 4_096
    /// The keys in the order in which neither RFC has them.
    var swapsKeys = false
    /// The number of the record; of the only one it is 0.
    var sequence: UInt8 = 0
    /// The key in the header, where it is not the one that encrypts.
    var shownKey: [UInt8]?

    init(to subscription: TestSubscription) {
        p256dh = subscription.sender.p256dh
        auth = subscription.sender.auth
    }

    /// Seals a record as it stands, with its delimiter and padding or without.
    func sealing(_ record: [UInt8]) throws -> [UInt8] {
        let key = try P256PrivateKey()
        let salt = try Random.octets(16)
        let combined = try HMAC.sha256(key: auth, message: key.sharedSecret(with: p256dh))
        let keys = swapsKeys ? key.publicPoint + p256dh : p256dh + key.publicPoint
        let input = try HMAC.sha256(key: combined, message: Array("WebPush: info\0".utf8) + keys + [1])
        let pseudoRandom = try HMAC.sha256(key: salt, message: input)
        let content = try HMAC.sha256(key: pseudoRandom, message: Array("Content-Encoding: aes128gcm\0\u{1}".utf8))
        var nonce = Array(
            try HMAC.sha256(key: pseudoRandom, message: Array("Content-Encoding: nonce\0\u{1}".utf8)).prefix(12)
        )
        nonce[11] ^= sequence
        let sealed = try AESGCM.seal(record, key: Array(content.prefix(16)), nonce: nonce)
        return salt + withUnsafeBytes(of: recordSize.bigEndian, Array.init) + [65] + (shownKey ?? key.publicPoint)
            + sealed
    }
}

/// A body of the coding before RFC 8291, and the fields without which it cannot be opened.
struct LegacyBody {
    var fields: [(name: String, value: String)]
    let body: [UInt8]
    let salt: String
    let key: String

    /// - Parameter padding: zeros in front of the text.
    init(_ plaintext: [UInt8], to subscription: TestSubscription, padding: Int = 0) throws {
        let key = try P256PrivateKey()
        let salt = try Random.octets(16)
        let receiver = subscription.sender.p256dh
        let secret = try key.sharedSecret(with: receiver)
        let combined = try HMAC.sha256(key: subscription.sender.auth, message: secret)
        let input = try HMAC.sha256(key: combined, message: Array("Content-Encoding: auth\0\u{1}".utf8))
        let pseudoRandom = try HMAC.sha256(key: salt, message: input)
        let context = Array("P-256\0".utf8) + [0, 65] + receiver + [0, 65] + key.publicPoint + [1]
        let content = try HMAC.sha256(
            key: pseudoRandom,
            message: Array("Content-Encoding: aesgcm\0".utf8) + context
        )
        let nonce = try HMAC.sha256(key: pseudoRandom, message: Array("Content-Encoding: nonce\0".utf8) + context)
        let length = [UInt8(padding >> 8), UInt8(padding & 0xff)]
        body = try AESGCM.seal(
            length + [UInt8](repeating: 0, count: padding) + plaintext,
            key: Array(content.prefix(16)),
            nonce: Array(nonce.prefix(12))
        )
        self.salt = Base64URL.encode(salt)
        self.key = Base64URL.encode(key.publicPoint)
        fields = [
            ("Content-Encoding", "aesgcm"), ("Encryption", "salt=\(self.salt)"), ("Crypto-Key", "dh=\(self.key)"),
            ("TTL", "60"),
        ]
    }
}

/// A message of exactly so many octets, like no other.
func paddedJSON(octets: Int) -> [UInt8] {
    let start = #"{"title":"\#(UUID().uuidString)","body":""#
    return Array((start + String(repeating: "a", count: octets - start.utf8.count - 2) + #""}"#).utf8)
}
