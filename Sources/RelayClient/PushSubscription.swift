public import Foundation

/// What the app keeps of a registration: the way to an endpoint of the relay, for one account on one device.
///
/// All of it is secret, since whoever knows the id may end the subscription: it belongs in the keychain, and printing it
/// shows the relay's host alone. What one release of this library encodes, later ones decode.
public struct PushSubscription: Codable, Sendable, Hashable {
    /// What the relay knows the subscription by: 1 to 64 characters of base64url.
    public let id: String

    /// Where the instance sends its messages: `<PUBLIC_URL>/wp/<id>`.
    public let endpoint: URL

    /// The public key that the instance encrypts for: an uncompressed point of P-256, 65 octets as unpadded base64url
    /// (RFC 8291, section 3.1).
    public let p256dh: String

    /// The secret that the instance encrypts with: 16 octets as unpadded base64url (RFC 8291, section 3.2).
    public let auth: String

    /// The account that it was registered for, as ``RelayClient/subscribe(deviceToken:label:account:environment:vapidKey:)``
    /// got it.
    public let account: String?

    /// The device token that it was registered for: where iOS hands out another one, the app registers anew.
    public let deviceToken: Data

    /// The instance's key that it was registered with: where the instance publishes another one by now, its messages are
    /// refused until the app registers anew.
    public let vapidKey: String?

    /// A subscription of which the parts were kept apart; nil where one of them is none that a relay gives.
    public init?(
        id: String,
        endpoint: URL,
        p256dh: String,
        auth: String,
        account: String?,
        deviceToken: Data,
        vapidKey: String? = nil
    ) {
        guard (1...64).contains(id.utf8.count), id.isBase64URL,
            ["https", "http"].contains(endpoint.scheme), endpoint.host?.isEmpty == false,
            p256dh.utf8.count == 87, p256dh.isBase64URL, auth.utf8.count == 22, auth.isBase64URL
        else { return nil }
        self.id = id
        self.endpoint = endpoint
        self.p256dh = p256dh
        self.auth = auth
        self.account = account
        self.deviceToken = deviceToken
        self.vapidKey = vapidKey
    }

    /// Reads what ``encode(to:)`` wrote.
    ///
    /// - Throws: `DecodingError`, also where a part is none that a relay gives.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let subscription = Self(
            id: try container.decode(String.self, forKey: .id),
            endpoint: try container.decode(URL.self, forKey: .endpoint),
            p256dh: try container.decode(String.self, forKey: .p256dh),
            auth: try container.decode(String.self, forKey: .auth),
            account: try container.decodeIfPresent(String.self, forKey: .account),
            deviceToken: try container.decode(Data.self, forKey: .deviceToken),
            vapidKey: try container.decodeIfPresent(String.self, forKey: .vapidKey)
        )
        guard let subscription else {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no subscription")
            throw DecodingError.dataCorrupted(context)
        }
        self = subscription
    }
}

extension PushSubscription: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The relay's host, and nothing that is secret.
    public var description: String { "PushSubscription(at \(endpoint.host ?? ""))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// One of Apple's two services, each with device tokens of its own.
public enum PushEnvironment: String, Codable, Sendable {
    /// For builds from TestFlight and the App Store.
    case production
    /// For builds from Xcode.
    case sandbox
}

extension String {
    fileprivate var isBase64URL: Bool {
        utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }
}
