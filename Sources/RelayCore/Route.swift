import Crypto
import HTTPServer

/// The paths of the relay, with ids as they stand in them.
///
/// They are matched octet for octet: no decoding, no query, no second spelling.
enum Route {
    case health
    case push([UInt8])
    case subscribe
    case subscription([UInt8])
    case read([UInt8])
    case unread([UInt8])
    case badges([UInt8])
    case test([UInt8])

    /// Longer than any id that was ever given out.
    private static let longestID = 64

    init?(_ target: [UInt8]) {
        let segments = target.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        func isSpelt(_ index: Int, _ word: StaticString) -> Bool {
            word.withUTF8Buffer { segments[index].elementsEqual($0) }
        }
        switch segments.count {
        case 2 where isSpelt(1, "healthz"): self = .health
        case 2 where isSpelt(1, "subscribe"): self = .subscribe
        case 3:
            guard let id = Self.id(segments[2]) else { return nil }
            if isSpelt(1, "wp") {
                self = .push(id)
            } else if isSpelt(1, "subscribe") {
                self = .subscription(id)
            } else {
                return nil
            }
        case 4 where isSpelt(1, "subscribe"):
            guard let id = Self.id(segments[2]) else { return nil }
            if isSpelt(3, "read") {
                self = .read(id)
            } else if isSpelt(3, "unread") {
                self = .unread(id)
            } else if isSpelt(3, "badges") {
                self = .badges(id)
            } else if isSpelt(3, "test") {
                self = .test(id)
            } else {
                return nil
            }
        default: return nil
        }
    }

    private static func id(_ segment: ArraySlice<UInt8>) -> [UInt8]? {
        guard (1...longestID).contains(segment.count), segment.allSatisfy(Base64URL.isLetter) else { return nil }
        return Array(segment)
    }

    /// The methods that the path takes, as `Allow` writes them.
    var allow: String {
        switch self {
        case .health: "GET, HEAD"
        case .push, .subscribe, .read, .unread, .badges, .test: "POST"
        case .subscription: "GET, HEAD, DELETE"
        }
    }

    func allows(_ method: String) -> Bool {
        switch self {
        case .health: method == "GET" || method == "HEAD"
        case .push, .subscribe, .read, .unread, .badges, .test: method == "POST"
        case .subscription: method == "GET" || method == "HEAD" || method == "DELETE"
        }
    }

    /// Whether the path belongs to the app, which has to show the subscribe token.
    var isForTheApp: Bool {
        switch self {
        case .health, .push: false
        case .subscribe, .subscription, .read, .unread, .badges, .test: true
        }
    }

    /// The longest body in octets, and whether there has to be one.
    var bodyRule: BodyRule {
        switch self {
        case .push: BodyRule(limit: 65_536, isRequired: true)
        case .subscribe, .unread, .badges: BodyRule(limit: 8_192, isRequired: true)
        case .health, .subscription, .read, .test: BodyRule(limit: 8_192, isRequired: false)
        }
    }
}
