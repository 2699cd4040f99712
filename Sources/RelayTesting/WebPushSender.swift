package import Crypto

/// The application server's side of RFC 8291: what Pixelfed does before it posts to an endpoint.
///
/// Written from the RFC and sharing nothing with the receiver but the primitives, so that the two cannot agree on a
/// mistake; both are pinned to the RFC's Appendix A.
package struct WebPushSender {
    /// The receiver's public key, as `/subscribe` answers it: 65 octets.
    package var p256dh: [UInt8]
    /// The receiver's auth secret: 16 octets.
    package var auth: [UInt8]
    /// The sender's key; a fresh one for each message unless a vector says otherwise.
    package var key: P256PrivateKey?
    /// 16 octets; random unless a vector says otherwise.
    package var salt: [UInt8]?
    package var recordSize: UInt32 = 4096
    /// Zeros behind the delimiter.
    package var padding = 0

    package init(p256dh: [UInt8], auth: [UInt8]) {
        self.p256dh = p256dh
        self.auth = auth
    }

    /// The whole body of the request: header, then one record with its delimiter and padding.
    package func encrypt(_ plaintext: [UInt8]) throws -> [UInt8] {
        try seal(plaintext + [0x02] + [UInt8](repeating: 0, count: padding))
    }

    /// Seals a record as it stands, whether or not it ends in a delimiter and zeros.
    package func seal(_ record: [UInt8]) throws -> [UInt8] {
        let key = try self.key ?? P256PrivateKey()
        let salt = try self.salt ?? Random.octets(16)

        // Section 3.4: ECDH, then the auth secret mixed in.
        let ecdhSecret = try key.sharedSecret(with: p256dh)
        let prkKey = try HMAC.sha256(key: auth, message: ecdhSecret)
        var keyInfo = Array("WebPush: info".utf8)
        keyInfo.append(0x00)
        keyInfo.append(contentsOf: p256dh)
        keyInfo.append(contentsOf: key.publicPoint)
        keyInfo.append(0x01)
        let ikm = try HMAC.sha256(key: prkKey, message: keyInfo)

        // RFC 8188, sections 2.2 and 2.3: the key and the nonce of the content coding.
        let prk = try HMAC.sha256(key: salt, message: ikm)
        let cek = try HMAC.sha256(key: prk, message: Array("Content-Encoding: aes128gcm".utf8) + [0x00, 0x01])
        let nonce = try HMAC.sha256(key: prk, message: Array("Content-Encoding: nonce".utf8) + [0x00, 0x01])

        let sealed = try AESGCM.seal(record, key: Array(cek[..<16]), nonce: Array(nonce[..<12]))
        let size = withUnsafeBytes(of: recordSize.bigEndian, Array.init)
        return salt + size + [UInt8(key.publicPoint.count)] + key.publicPoint + sealed
    }
}
