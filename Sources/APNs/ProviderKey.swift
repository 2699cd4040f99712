package import Crypto
import FoundationEssentials

/// The operator's key at Apple: what a provider token is signed with and says.
package struct ProviderKey: Sendable, Equatable {
    package let privateKey: P256PrivateKey
    /// The ten characters that name the key.
    package let keyID: String
    /// The ten characters that name the developer's team.
    package let teamID: String

    package init(privateKey: P256PrivateKey, keyID: String, teamID: String) {
        self.privateKey = privateKey
        self.keyID = keyID
        self.teamID = teamID
    }

    /// The same key under the same names.
    package static func == (left: ProviderKey, right: ProviderKey) -> Bool {
        left.fingerprint == right.fingerprint
    }

    /// What tells a key from another without giving it away.
    var fingerprint: String {
        Hex.encode(SHA256.digest(privateKey.publicPoint + Array("\(keyID) \(teamID)".utf8)))
    }

    private struct Header: Encodable {
        let alg = "ES256"
        let kid: String
    }

    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
    }

    /// A JWS in compact form (RFC 7515, section 7.1) with ES256 (RFC 7518, section 3.4).
    func sign(issuedAt: Int64) throws -> String {
        let encoder = JSONEncoder()
        let header = try Base64URL.encode(Array(encoder.encode(Header(kid: keyID))))
        let claims = try Base64URL.encode(Array(encoder.encode(Claims(iss: teamID, iat: issuedAt))))
        let signed = "\(header).\(claims)"
        let signature = try privateKey.signature(of: Array(signed.utf8))
        return "\(signed).\(Base64URL.encode(signature))"
    }
}
