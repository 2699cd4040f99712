package import Crypto

/// The application server's side of the coding `aesgcm`: what Mastodon, Pleroma and Friendica do before they post.
///
/// Written from draft-ietf-webpush-encryption-04 and draft-ietf-httpbis-encryption-encoding-03, and sharing nothing with
/// the receiver but the primitives.
package struct LegacyWebPushSender {
    /// The receiver's public key: 65 octets.
    package var p256dh: [UInt8]
    /// The receiver's auth secret: 16 octets.
    package var auth: [UInt8]
    /// The sender's key; a fresh one for each message unless a vector says otherwise.
    package var key: P256PrivateKey?
    /// 16 octets; random unless a vector says otherwise.
    package var salt: [UInt8]?
    /// Zeros between the padding's length and the plaintext.
    package var padding = 0

    package init(p256dh: [UInt8], auth: [UInt8]) {
        self.p256dh = p256dh
        self.auth = auth
    }

    /// What belongs to one request.
    package struct Message: Sendable {
        package let body: [UInt8]
        /// base64url, for `Encryption: salt=`.
        package let salt: String
        /// base64url, for `Crypto-Key: dh=`.
        package let dh: String

        package var encryption: String { "salt=\(salt)" }
        package var cryptoKey: String { "dh=\(dh)" }
    }

    /// One record with a padding in front of the plaintext, and the values of its two fields.
    package func encrypt(_ plaintext: [UInt8]) throws -> Message {
        let length = [UInt8(truncatingIfNeeded: padding >> 8), UInt8(truncatingIfNeeded: padding)]
        return try seal(length + [UInt8](repeating: 0, count: padding) + plaintext)
    }

    /// Seals a record as it stands, whether or not it begins with a padding.
    package func seal(_ record: [UInt8]) throws -> Message {
        let key = try self.key ?? P256PrivateKey()
        let salt = try self.salt ?? Random.octets(16)

        // webpush-encryption-04, section 4.3: ECDH, then the auth secret mixed in.
        let ecdhSecret = try key.sharedSecret(with: p256dh)
        let combined = try HMAC.sha256(key: auth, message: ecdhSecret)
        let ikm = try HMAC.sha256(key: combined, message: Array("Content-Encoding: auth".utf8) + [0x00, 0x01])

        // Section 4.2: the group, then both keys behind their lengths, the receiver's first.
        var context = Array("P-256".utf8)
        context.append(0x00)
        for point in [p256dh, key.publicPoint] {
            context.append(contentsOf: [UInt8(point.count >> 8), UInt8(point.count & 0xff)])
            context.append(contentsOf: point)
        }

        // encryption-encoding-03, sections 3.2 and 3.3: the key and the nonce.
        let prk = try HMAC.sha256(key: salt, message: ikm)
        let keyInfo = Array("Content-Encoding: aesgcm".utf8) + [0x00] + context + [0x01]
        let nonceInfo = Array("Content-Encoding: nonce".utf8) + [0x00] + context + [0x01]
        let cek = try HMAC.sha256(key: prk, message: keyInfo)
        let nonce = try HMAC.sha256(key: prk, message: nonceInfo)

        return Message(
            body: try AESGCM.seal(record, key: Array(cek[..<16]), nonce: Array(nonce[..<12])),
            salt: Base64URL.encode(salt),
            dh: Base64URL.encode(key.publicPoint)
        )
    }
}
