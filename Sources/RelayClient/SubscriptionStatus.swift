public import Foundation

/// What the relay knows of a subscription.
public struct SubscriptionStatus: Sendable, Hashable {
    /// When it was registered.
    public let createdAt: Date

    /// Which of Apple's services its device token belongs to; nil until the app says so or the relay has found out.
    public let environment: PushEnvironment?

    /// Its share of the device's badge.
    public let badge: Int

    /// Whether its pushes carry a badge; see ``RelayClient/setBadges(enabled:for:)``.
    public let badgesEnabled: Bool

    /// When Apple last accepted a push; nil where it never did.
    public let lastAcceptedAt: Date?

    /// The last push that failed, also where later ones did not; nil where none did.
    public let lastFailure: Failure?

    /// Whether it takes messages from one instance alone, which has to sign them (RFC 8292).
    public let isVAPIDKeyPinned: Bool

    /// A push that failed.
    public struct Failure: Sendable, Hashable {
        /// When it did.
        public let at: Date
        /// Why, in one line that an app can show.
        public let message: String
    }

    /// What `GET /subscribe/{id}` answers, with times in seconds since 1970.
    struct Wire: Decodable {
        let created_at: Int
        let environment: String?
        let badge: Int
        let badges_enabled: Bool
        let last_accepted_at: Int?
        let last_failure: Failure?
        let vapid_key_pinned: Bool

        struct Failure: Decodable {
            let at: Int
            let message: String
        }
    }

    init(_ wire: Wire) {
        createdAt = Self.date(wire.created_at)
        environment = wire.environment.flatMap(PushEnvironment.init)
        badge = wire.badge
        badgesEnabled = wire.badges_enabled
        lastAcceptedAt = wire.last_accepted_at.map(Self.date)
        lastFailure = wire.last_failure.map { Failure(at: Self.date($0.at), message: $0.message.printable) }
        isVAPIDKeyPinned = wire.vapid_key_pinned
    }

    private static func date(_ seconds: Int) -> Date {
        Date(timeIntervalSince1970: TimeInterval(seconds))
    }
}
