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
    /// The auth secret of RFC 8291, 16 octets.
    package let authSecret: [UInt8]
    /// Unread messages of this subscription alone, 0 … 2,147,483,647.
    package let badgeCount: Int
    /// Whether its pushes carry a badge, and whether the device's sum includes it.
    package let badgesEnabled: Bool
    /// When it was registered, in Unix seconds.
    package let createdAt: Int64
}

/// What the app asks for and the relay generated: a subscription that does not exist yet.
package struct Registration: Sendable {
    let id: SubscriptionID
    let deviceToken: String
    let account: String
    let label: String
    let privateKey: [UInt8]
    let authSecret: [UInt8]
    let createdAt: Int64

    /// Takes the fields as they are stored, unchecked.
    ///
    /// `deviceToken` is lower-case hex: an upper-case twin would count as another device. `account` is "" for none,
    /// `privateKey` 32 octets, `authSecret` 16 octets, `createdAt` Unix seconds.
    package init(
        id: SubscriptionID,
        deviceToken: String,
        account: String,
        label: String,
        privateKey: [UInt8],
        authSecret: [UInt8],
        createdAt: Int64
    ) {
        self.id = id
        self.deviceToken = deviceToken
        self.account = account
        self.label = label
        self.privateKey = privateKey
        self.authSecret = authSecret
        self.createdAt = createdAt
    }
}
