import Crypto
import Store
import WebPush

/// The `apns-collapse-id`, under which a later notification takes the place of an earlier one's banner.
///
/// It is 43 octets of base64url, derived from the subscription too: two accounts of one device may get likes for statuses
/// that happen to have the same id on two instances, and two instances may use the same topic.
enum CollapseID {
    private static let collapsing: Set<String> = ["like", "favourite", "share", "reblog"]

    /// The sender's topic where it gave one; otherwise the likes and boosts of one status share one, and everything else
    /// stands alone, which is nil.
    static func derive(_ id: SubscriptionID, topic: Topic?, notificationType: String?, statusID: String?) -> String? {
        if let topic { return derive(id, "topic", topic.octets) }
        guard let notificationType, collapsing.contains(notificationType), let statusID else { return nil }
        return derive(id, "status", Array(statusID.utf8))
    }

    private static func derive(_ id: SubscriptionID, _ kind: String, _ octets: [UInt8]) -> String {
        Base64URL.encode(SHA256.digest(id.digest + Array(kind.utf8) + [0] + octets))
    }
}
