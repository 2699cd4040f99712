package import Crypto

/// The application server's side of RFC 8292: what an instance shows of itself to a push service.
package struct VAPIDSigner: Sendable {
    package let key: P256PrivateKey
    package var header = #"{"typ":"JWT","alg":"ES256"}"#

    package init(key: P256PrivateKey) { self.key = key }

    package init() throws { self.init(key: try P256PrivateKey()) }

    /// The public key as the instance publishes it: base64url without padding.
    package var publicKey: String { Base64URL.encode(key.publicPoint) }

    /// A JSON Web Token of any claims (RFC 7515, section 7.1).
    package func token(claims: String) throws -> String {
        let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        return signed + "." + Base64URL.encode(try key.signature(of: Array(signed.utf8)))
    }

    /// A token with the claims of RFC 8292, section 2; `sub` as an instance's contact unless said otherwise.
    package func token(
        audience: String,
        expiration: Int64,
        subject: String? = "mailto:admin@pixels.example"
    ) throws -> String {
        let subject = subject.map { #","sub":"\#($0)""# } ?? ""
        return try token(claims: #"{"aud":"\#(audience)","exp":\#(expiration)\#(subject)}"#)
    }

    /// `Authorization` as RFC 8292, section 3 has it; some senders leave no space behind the comma.
    package func vapid(_ token: String, space: Bool = true) -> String {
        "vapid t=\(token),\(space ? " " : "")k=\(publicKey)"
    }

    /// `Authorization` as the drafts before the RFC had it; the key then stands in `Crypto-Key`.
    package func webPush(_ token: String) -> String { "WebPush \(token)" }

    /// The member of `Crypto-Key` that belongs to `webPush`.
    package var cryptoKey: String { "p256ecdsa=\(publicKey)" }
}
