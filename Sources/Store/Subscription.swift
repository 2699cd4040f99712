/// One account on one device, as it is stored.
///
/// Not `Equatable`: `String` equality takes "é" in NFC and NFD for one text, and two such accounts are two.
package struct Subscription: Sendable {
    /// The SHA-256 of the id in the endpoint's URL.
    package let id: SubscriptionID
    /// The APNs device token, lower-case hex.
    package let deviceToken: String
    /// Opaque text, octet for octet what the app sent, "" for none; compare its `utf8`, never the `String`.
    package let account: String
    /// Free text for the operator's eyes.
    package let label: String
    /// The P-256 scalar that decrypts this subscription's messages, 32 octets.
    package let privateKey: [UInt8]
    /// Its public point, 65 octets; `nil` in a row from before points were stored, where it has to be multiplied.
    package let publicKey: [UInt8]?
    /// The auth secret of RFC 8291, 16 octets.
    package let authSecret: [UInt8]
    /// Unread messages of this subscription alone, 0 … 2,147,483,647.
    package let badgeCount: Int
    /// Whether its pushes carry a badge, and whether the device's sum includes it.
    package let badgesEnabled: Bool
    /// When it was registered, in Unix seconds.
    package let createdAt: Int64
    /// Which of Apple's services knows the token, `production` or `sandbox`; `nil` while that is not known.
    package let environment: String?
    /// When Apple first accepted a push for this token, in Unix seconds; `nil` before.
    package let acceptedAt: Int64?
    /// The public key of the only sender it takes messages from, 65 octets; `nil` takes them from everybody.
    package let vapidKey: [UInt8]?
}

/// What the app asks for and the relay generated: a subscription that does not exist yet.
package struct Registration: Sendable {
    /// The SHA-256 of a new id.
    package let id: SubscriptionID
    /// Lower-case hex: an upper-case twin would count as another device.
    package let deviceToken: String
    /// Opaque text, "" for none.
    package let account: String
    /// Free text, "" for none.
    package let label: String
    /// A P-256 scalar, 32 octets.
    package let privateKey: [UInt8]
    /// Its public point, 65 octets; `nil` leaves it to be made for each push.
    package let publicKey: [UInt8]?
    /// The auth secret of RFC 8291, 16 octets.
    package let authSecret: [UInt8]
    /// Unix seconds; of a device's subscriptions the one with the least is the first to be evicted.
    package let createdAt: Int64
    /// `production`, `sandbox`, or `nil` for what is known of the token already.
    package let environment: String?
    /// The public key of the only sender, 65 octets; `nil` for everybody.
    package let vapidKey: [UInt8]?

    /// Takes the fields as they are to be stored, unchecked.
    package init(
        id: SubscriptionID,
        deviceToken: String,
        account: String,
        label: String,
        privateKey: [UInt8],
        publicKey: [UInt8]? = nil,
        authSecret: [UInt8],
        createdAt: Int64,
        environment: String? = nil,
        vapidKey: [UInt8]? = nil
    ) {
        self.id = id
        self.deviceToken = deviceToken
        self.account = account
        self.label = label
        self.privateKey = privateKey
        self.publicKey = publicKey
        self.authSecret = authSecret
        self.createdAt = createdAt
        self.environment = environment
        self.vapidKey = vapidKey
    }
}
