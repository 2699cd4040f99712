/// What the operator sees of a subscription: nothing that opens an endpoint or reaches a device.
package struct SubscriptionSummary: Sendable {
    /// The SHA-256 of the id in the endpoint's URL; the operator sees its ``SubscriptionID/shortName``.
    package let id: SubscriptionID
    /// The same for all subscriptions of a device: 8 hex digits that say nothing of its token.
    package let device: String
    /// Free text for the operator's eyes, as the app sent it: any character may be in it.
    package let label: String
    /// Opaque text, octet for octet what the app sent, "" for none.
    package let account: String
    /// Which of Apple's services knows the token, `production` or `sandbox`; `nil` while that is not known.
    package let environment: String?
    /// When it was registered, in Unix seconds.
    package let createdAt: Int64
    /// When Apple last accepted a push of it, in Unix seconds; `nil` before.
    package let lastAcceptedAt: Int64?
    /// When a push of it last failed, in Unix seconds; `nil` before.
    package let lastFailedAt: Int64?
    /// Why that one failed, at most 200 octets; `nil` before.
    package let lastFailure: String?
    /// Unread messages of this subscription alone, 0 … 2,147,483,647.
    package let badgeCount: Int
    /// Whether its pushes carry a badge.
    package let badgesEnabled: Bool
    /// Whether it takes messages from one sender alone.
    package let isPinned: Bool
}
