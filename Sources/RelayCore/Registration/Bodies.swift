import APNs
import Crypto
import Store

/// What the app sends to `POST /subscribe`.
struct SubscribeBody: Decodable {
    let deviceToken: DeviceToken
    /// "" when absent or null: one bucket for every client that names no account.
    let account: String
    let label: String
    /// Which of Apple's services knows the token; nil lets the relay find out.
    let environment: Environment?
    /// The key that the instance signs its messages with, 65 octets; nil takes messages from everybody.
    let vapidKey: [UInt8]?

    private enum Key: String, CodingKey {
        case account, label, environment
        case vapidKey = "vapid_key"
        case deviceToken = "device_token"
    }

    /// The account is part of every payload, which has 4,096 octets in all.
    private static let longestText = 256

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let token = try container.decode(String.self, forKey: .deviceToken)
        guard let deviceToken = DeviceToken(parsing: token.utf8) else {
            throw JSON.Malformed(text: "\"device_token\" is not an even number of 16 to 400 hexadecimal digits")
        }
        self.deviceToken = deviceToken
        account = try Self.text(.account, in: container)
        label = try Self.text(.label, in: container)
        environment = try Self.environment(in: container)
        vapidKey = try Self.vapidKey(in: container)
    }

    /// As the instance publishes it: base64url, padded or not.
    private static func vapidKey(in container: KeyedDecodingContainer<Key>) throws -> [UInt8]? {
        guard var text = try container.decodeIfPresent(String.self, forKey: .vapidKey) else { return nil }
        for _ in 0..<2 where text.last == "=" { text.removeLast() }
        guard let key = Base64URL.decode(text.utf8), ES256.isPublicKey(key) else {
            throw JSON.Malformed(text: "\"vapid_key\" is not a public key of P-256, 65 octets as base64url")
        }
        return key
    }

    private static func environment(in container: KeyedDecodingContainer<Key>) throws -> Environment? {
        guard let name = try container.decodeIfPresent(String.self, forKey: .environment) else { return nil }
        guard name.utf8.count <= 16, let environment = Environment(rawValue: name) else {
            throw DecodingError.dataCorruptedError(
                forKey: .environment,
                in: container,
                debugDescription: "production or sandbox"
            )
        }
        return environment
    }

    private static func text(_ key: Key, in container: KeyedDecodingContainer<Key>) throws -> String {
        let text = try container.decodeIfPresent(String.self, forKey: key) ?? ""
        guard text.utf8.count <= longestText else {
            throw JSON.Malformed(text: "\"\(key.stringValue)\" is longer than \(longestText) octets of UTF-8")
        }
        return text
    }
}

/// The answer to `POST /subscribe`; the app hands the last three to the instance.
struct SubscribeAnswer: Encodable {
    let subscription_id: String
    let endpoint: String
    /// The uncompressed public point, 65 octets as unpadded base64url.
    let p256dh: String
    /// The auth secret, 16 octets as unpadded base64url.
    let auth: String
}

/// The answer to `GET /subscribe/{id}`: nothing in it opens an endpoint, or names a device or a person.
///
/// Times are Unix seconds; what is not known is left out.
struct StatusAnswer: Encodable {
    struct Failure: Encodable {
        let at: Int64
        let message: String
    }

    let created_at: Int64
    let environment: String?
    /// The counter of this subscription alone.
    let badge: Int
    let badges_enabled: Bool
    let last_accepted_at: Int64?
    let last_failure: Failure?
    let vapid_key_pinned: Bool

    init(_ summary: SubscriptionSummary) {
        created_at = summary.createdAt
        environment = summary.environment
        badge = summary.badgeCount
        badges_enabled = summary.badgesEnabled
        last_accepted_at = summary.lastAcceptedAt
        last_failure = summary.lastFailedAt.map {
            Failure(at: $0, message: FailureWords.text(for: summary.lastFailure ?? ""))
        }
        vapid_key_pinned = summary.isPinned
    }
}

/// What the app sends to `POST /subscribe/{id}/unread`.
struct UnreadBody: Decodable {
    let count: Int64
}

/// What the app sends to `POST /subscribe/{id}/badges`.
struct BadgesBody: Decodable {
    let enabled: Bool
}
