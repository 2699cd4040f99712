package import Crypto
import FoundationEssentials
import Synchronization

/// The operator's key at Apple: what a provider token is signed with and says.
package struct ProviderKey: Sendable {
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
}

/// The JSON Web Token that proves to Apple who is sending, made once and shared by all requests for 45 minutes.
///
/// Apple refuses a token that is older than an hour, and a provider that makes a new one more often than every 20
/// minutes (Apple, "Establishing a token-based connection to APNs").
package final class ProviderToken: Sendable {
    private let key: ProviderKey
    private let now: @Sendable () -> Int64
    private let uptime: @Sendable () -> Duration
    private let current = Mutex<Issued?>(nil)

    private static let lifetime: Int64 = 45 * 60

    private struct Issued {
        let token: String
        let at: Int64
        let uptime: Duration
    }

    /// - Parameters:
    ///   - now: seconds since 1970, which Apple compares with its own.
    ///   - uptime: a clock that nobody sets, so that a step of the other one cannot stretch a token's life.
    package init(key: ProviderKey, now: @escaping @Sendable () -> Int64, uptime: @escaping @Sendable () -> Duration) {
        self.key = key
        self.now = now
        self.uptime = uptime
    }

    /// The token to put behind `bearer`; whoever asks while it is being made waits for the one that comes of it.
    package func value() throws -> String {
        try current.withLock { current in
            let now = now()
            let uptime = uptime()
            if let issued = current, isFresh(issued, now: now, uptime: uptime) { return issued.token }
            let issued = Issued(token: try sign(issuedAt: now), at: now, uptime: uptime)
            current = issued
            return issued.token
        }
    }

    /// Old by either clock is old; one from the future means that the wall clock was set back.
    private func isFresh(_ issued: Issued, now: Int64, uptime: Duration) -> Bool {
        (0..<Self.lifetime).contains(now - issued.at) && uptime - issued.uptime < .seconds(Self.lifetime)
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
    private func sign(issuedAt: Int64) throws -> String {
        let encoder = JSONEncoder()
        let header = try Base64URL.encode(Array(encoder.encode(Header(kid: key.keyID))))
        let claims = try Base64URL.encode(Array(encoder.encode(Claims(iss: key.teamID, iat: issuedAt))))
        let signed = "\(header).\(claims)"
        let signature = try key.privateKey.signature(of: Array(signed.utf8))
        return "\(signed).\(Base64URL.encode(signature))"
    }
}
