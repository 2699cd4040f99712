/// The values that RFC 8188, section 3, RFC 8291, Appendix A and RFC 8292, section 2.4 publish.
package struct RFCVectors: Decodable, Sendable {
    package let rfc8291: WebPush
    package let rfc8188: [Coding]
    package let rfc8292: Identification

    package static let published: RFCVectors = {
        do { return try Vectors.load("rfc_vectors") } catch { fatalError("Tests/Vectors/rfc_vectors.json: \(error)") }
    }()

    package struct WebPush: Decodable, Sendable {
        package let plaintext: Octets
        package let authSecret: Octets
        package let receiverPrivate: Octets
        package let receiverPublic: Octets
        package let senderPrivate: Octets
        package let senderPublic: Octets
        package let salt: Octets
        package let recordSize: UInt32
        package let ecdhSecret: Octets
        package let prkKey: Octets
        package let ikm: Octets
        package let prk: Octets
        package let cek: Octets
        package let nonce: Octets
        package let body: Octets

        enum CodingKeys: String, CodingKey {
            case plaintext, salt, ikm, prk, cek, nonce, body
            case authSecret = "auth_secret"
            case receiverPrivate = "ua_private"
            case receiverPublic = "ua_public"
            case senderPrivate = "as_private"
            case senderPublic = "as_public"
            case recordSize = "rs"
            case ecdhSecret = "ecdh_secret"
            case prkKey = "prk_key"
        }
    }

    package struct Coding: Decodable, Sendable {
        package let name: String
        package let ikm: Octets
        package let body: Octets
        package let plaintext: Octets
        package let prk: Octets?
        package let cek: Octets?
        package let nonce: Octets?
    }

    /// The token and the key of an `Authorization` field.
    package struct Identification: Decodable, Sendable {
        package let aud: String
        package let exp: Int64
        package let t: String
        package let k: String
    }
}
