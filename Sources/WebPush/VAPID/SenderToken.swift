import Crypto
import FoundationEssentials

/// Why a message is not from the sender that a subscription is restricted to (RFC 8292, section 4.2).
package enum SenderError: Error, CaseIterable {
    /// It shows no token.
    case missing
    /// The token is not a JSON Web Token with ES256, or its claims cannot be read.
    case malformed
    /// It is signed by another key than the subscription's.
    case otherKey
    case badSignature
    /// Its audience is not this relay.
    case otherAudience
    case expired
    /// It would be valid for more than 24 hours.
    case tooLongLived
}

/// The token of RFC 8292, section 2, taken apart.
struct SenderToken {
    /// Seconds since 1970.
    let expiration: Int64
    private let audiences: [String]
    private let signed: [UInt8]
    private let signature: [UInt8]

    private struct Header: Decodable {
        let alg: String
        let crit: [String]?
    }

    private struct Claims: Decodable {
        let exp: Int64
        let audiences: [String]

        private enum Key: String, CodingKey { case exp, aud }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            exp = try Self.seconds(container)
            // One audience, or a list of them (RFC 7519, section 4.1.3).
            if let audience = try? container.decode(String.self, forKey: .aud) {
                audiences = [audience]
            } else {
                audiences = try container.decode([String].self, forKey: .aud)
            }
        }

        /// Whole seconds, or a fraction, of which the whole is taken (RFC 7519, section 2, NumericDate).
        private static func seconds(_ container: KeyedDecodingContainer<Key>) throws -> Int64 {
            if let whole = try? container.decode(Int64.self, forKey: .exp) { return whole }
            let fraction = try container.decode(Double.self, forKey: .exp)
            guard let whole = Int64(exactly: fraction.rounded(.down)) else {
                throw DecodingError.dataCorruptedError(forKey: .exp, in: container, debugDescription: "no moment")
            }
            return whole
        }
    }

    /// Reads a token without believing it.
    ///
    /// A key that the token brings along is not looked at, and one with extensions that have to be understood is refused
    /// (RFC 7515, section 4.1.11).
    init(parsing token: [UInt8]) throws(SenderError) {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard
            parts.count == 3, let header = Base64URL.decode(parts[0]), let claims = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]),
            let read = try? JSONDecoder().decode(Header.self, from: Data(header)), read.alg == "ES256",
            read.crit == nil,
            String(validating: claims, as: UTF8.self) != nil,
            let claimed = try? JSONDecoder().decode(Claims.self, from: Data(claims))
        else { throw .malformed }
        expiration = claimed.exp
        audiences = claimed.audiences
        signed = Array(token[..<(parts[2].startIndex - 1)])
        self.signature = signature
    }

    /// Whether it is for one of `origins`, which are in lower case, now, and by `key`.
    ///
    /// A token may be valid for 24 hours from the moment that the sender made it; its clock may be a minute ahead.
    func check(_ origins: Set<String>, key: [UInt8], now: Int64) throws(SenderError) {
        guard audiences.contains(where: { origins.contains($0.lowercased()) }) else { throw .otherAudience }
        guard expiration >= now else { throw .expired }
        guard expiration - now <= 86_400 + 60 else { throw .tooLongLived }
        guard (try? ES256.verify(signature, of: signed, by: key)) == true else { throw .badSignature }
    }
}
