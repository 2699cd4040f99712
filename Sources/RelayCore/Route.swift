import Crypto
import HTTPServer
import Store

/// The paths of the relay.
///
/// They are matched octet for octet: no decoding, no query, no second spelling.
enum Route {
    case health
    case push(SubscriptionID)
    case subscribe
    case subscription(SubscriptionID)
    case read(SubscriptionID)
    case unread(SubscriptionID)
    case badges(SubscriptionID)

    /// Longer than any id that was ever given out.
    private static let longestID = 64

    init?(_ target: [UInt8]) {
        let segments = target.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let words = segments.map { String(decoding: $0, as: UTF8.self) }
        switch (words.count, words.dropFirst().first) {
        case (2, "healthz"): self = .health
        case (2, "subscribe"): self = .subscribe
        case (3, "wp"):
            guard let id = Self.id(segments[2]) else { return nil }
            self = .push(id)
        case (3, "subscribe"):
            guard let id = Self.id(segments[2]) else { return nil }
            self = .subscription(id)
        case (4, "subscribe"):
            guard let id = Self.id(segments[2]) else { return nil }
            switch words[3] {
            case "read": self = .read(id)
            case "unread": self = .unread(id)
            case "badges": self = .badges(id)
            default: return nil
            }
        default: return nil
        }
    }

    private static func id(_ segment: ArraySlice<UInt8>) -> SubscriptionID? {
        guard (1...longestID).contains(segment.count), segment.allSatisfy(Base64URL.isLetter) else { return nil }
        return SubscriptionID(hashing: Array(segment))
    }

    /// The methods that the path takes, as `Allow` writes them.
    var allow: String {
        switch self {
        case .health: "GET, HEAD"
        case .push, .subscribe, .read, .unread, .badges: "POST"
        case .subscription: "DELETE"
        }
    }

    func allows(_ method: String) -> Bool {
        switch self {
        case .health: method == "GET" || method == "HEAD"
        case .push, .subscribe, .read, .unread, .badges: method == "POST"
        case .subscription: method == "DELETE"
        }
    }

    /// Whether the path belongs to the app, which has to show the subscribe token.
    var isForTheApp: Bool {
        switch self {
        case .health, .push: false
        case .subscribe, .subscription, .read, .unread, .badges: true
        }
    }

    /// The longest body in octets, and whether there has to be one.
    var bodyRule: BodyRule {
        switch self {
        case .push: BodyRule(limit: 65_536, isRequired: true)
        case .subscribe, .unread, .badges: BodyRule(limit: 8_192, isRequired: true)
        case .health, .subscription, .read: BodyRule(limit: 8_192, isRequired: false)
        }
    }
}
