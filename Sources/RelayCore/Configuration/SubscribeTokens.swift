import Crypto

/// The bearer tokens that open the app's routes: one, or several while a new one is being rolled out.
///
/// Only their digests are kept. That is not for secrecy, since the token ships inside the app, but makes the comparison
/// independent of length and content.
package struct SubscribeTokens: Sendable {
    private let digests: [[UInt8]]
    /// Whether one of them is short enough to be guessed.
    package let hasShortToken: Bool

    /// Reads a comma list; nil when there is no token in it, or one that could not stand in an `Authorization` field.
    package init?(parsing list: String) {
        let tokens = list.split(separator: ",").map { $0.drop(while: { $0 == " " }) }.map { token in
            var token = token
            while token.last == " " { token.removeLast() }
            return Array(token.utf8)
        }
        guard !tokens.isEmpty, tokens.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x21...0x7e).contains($0) } }) else {
            return nil
        }
        digests = tokens.map(SHA256.digest)
        hasShortToken = tokens.contains { $0.count < 16 }
    }

    /// Whether an `Authorization` value is `Bearer` and one of the tokens (RFC 6750, section 2.1).
    package func admit(_ authorization: [UInt8]?) -> Bool {
        guard
            let authorization,
            let space = authorization.prefix("bearer ".utf8.count).firstIndex(of: UInt8(ascii: " "))
        else { return false }
        let scheme = String(decoding: authorization[..<space], as: UTF8.self)
        guard scheme.lowercased() == "bearer" else { return false }
        let digest = SHA256.digest(Array(authorization[authorization.index(after: space)...]))
        // Every token is compared, so the time does not tell which of them came close.
        return digests.reduce(false) { SHA256.areEqual($1, digest) || $0 }
    }
}
