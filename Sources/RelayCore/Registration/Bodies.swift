import APNs

/// What the app sends to `POST /subscribe`.
struct SubscribeBody: Decodable {
    let deviceToken: DeviceToken
    /// "" when absent or null: one bucket for every client that names no account.
    let account: String
    let label: String
    /// Which of Apple's services knows the token; nil lets the relay find out.
    let environment: Environment?

    private enum Key: String, CodingKey {
        case account, label, environment
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
    }

    private static func environment(in container: KeyedDecodingContainer<Key>) throws -> Environment? {
        guard let name = try container.decodeIfPresent(String.self, forKey: .environment) else { return nil }
        guard let environment = Environment(rawValue: name) else {
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

/// What the app sends to `POST /subscribe/{id}/unread`.
struct UnreadBody: Decodable {
    let count: Int64
}

/// What the app sends to `POST /subscribe/{id}/badges`.
struct BadgesBody: Decodable {
    let enabled: Bool
}
