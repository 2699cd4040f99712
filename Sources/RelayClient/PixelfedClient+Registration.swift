public import Foundation

extension PixelfedClient {
    /// What an instance can tell of, as Mastodon names it.
    public enum Alert: String, CaseIterable, Sendable {
        /// Somebody follows.
        case follow
        /// Somebody asks to follow.
        case followRequest = "follow_request"
        /// A status was liked.
        case favourite
        /// A status names the user.
        case mention
        /// A status was shared.
        case reblog
        /// A poll has ended.
        case poll
        /// Somebody that the user watches has posted.
        case status
        /// A status that the user has shared was edited.
        case update

        /// Every alert.
        public static let all = Set(allCases)
    }

    /// What the instance has stored.
    public struct Registration: Sendable {
        /// The instance's id of it.
        public let id: String
        /// Where it sends to, which is secret: whoever knows it may send.
        public let endpoint: URL
        /// The key that it signs with, as ``PixelfedClient/vapidKey()`` has it; nil where it does not say.
        public let serverKey: String?

        /// The instance's answer.
        struct Wire: Decodable {
            let id: String
            let endpoint: URL
            let server_key: String?

            private enum CodingKeys: CodingKey { case id, endpoint, server_key }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                // Mastodon has had both.
                if let number = try? container.decode(Int64.self, forKey: .id) {
                    id = "\(number)"
                } else {
                    id = try container.decode(String.self, forKey: .id)
                }
                endpoint = try container.decode(URL.self, forKey: .endpoint)
                server_key = try container.decodeIfPresent(String.self, forKey: .server_key)
            }
        }

        init(_ wire: Wire) {
            id = wire.id
            endpoint = wire.endpoint
            serverKey = wire.server_key
        }
    }
}

extension PixelfedClient.Registration: CustomStringConvertible, CustomReflectable {
    /// The instance's id and host, and nothing that is secret.
    public var description: String { "Registration(\(id), at \(endpoint.host ?? ""))" }

    /// A mirror without the endpoint, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
