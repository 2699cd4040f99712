import Crypto
import Synchronization

/// Tells whether messages come from the sender that a subscription is restricted to (RFC 8292).
///
/// A sender signs one token for many messages, so one that was verified is remembered until it expires.
package final class SenderVerifier: Sendable {
    private let origins: Set<String>
    private let now: @Sendable () -> Int64
    /// Digests of a token and a key, with the token's expiration.
    private let verified = Mutex<[[UInt8]: Int64]>([:])

    /// Past this many the memory begins anew: the worst that costs is a verification.
    private static let capacity = 1_024

    /// - Parameters:
    ///   - origin: of the endpoints, `https://push.example.org`, perhaps with a port.
    ///   - now: seconds since 1970.
    package init(origin: String, now: @escaping @Sendable () -> Int64) {
        origins = audiences(of: origin)
        self.now = now
    }

    /// Checks what a request shows against the key of its subscription.
    ///
    /// - Parameters:
    ///   - authorization: the value of `Authorization`, nil when there is none.
    ///   - cryptoKey: all values of `Crypto-Key`, where the older scheme has its key.
    ///   - key: the subscription's, 65 octets.
    package func verify(authorization: [UInt8]?, cryptoKey: [[UInt8]], key: [UInt8]) throws(SenderError) {
        guard
            let authorization,
            let credentials = Credentials(authorization: authorization, cryptoKey: cryptoKey)
        else { throw .missing }
        guard credentials.key == key else { throw .otherKey }
        let now = now()
        let digest = SHA256.digest(credentials.token + key)
        if let expiration = verified.withLock({ $0[digest] }), expiration >= now { return }
        let token = try SenderToken(parsing: credentials.token)
        try token.check(origins, key: key, now: now)
        verified.withLock { verified in
            if verified.count >= Self.capacity { verified = [:] }
            verified[digest] = token.expiration
        }
    }
}

/// The spellings of an origin that senders use as audience, in lower case: with the port that is meant, and without any.
private func audiences(of origin: String) -> Set<String> {
    // Scheme and host are the same in every case (RFC 6454, section 4), and some senders write them in lower case only.
    let origin = origin.lowercased()
    guard let authority = origin.firstRange(of: "://")?.upperBound else { return [origin] }
    // The colon of a port comes behind the bracket of an IPv6 address.
    let bracket = origin[authority...].lastIndex(of: "]") ?? authority
    guard let colon = origin[bracket...].lastIndex(of: ":") else {
        return [origin, origin + (origin.hasPrefix("http:") ? ":80" : ":443")]
    }
    return [origin, String(origin[..<colon])]
}
