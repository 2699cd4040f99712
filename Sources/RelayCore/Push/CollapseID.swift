import Crypto
import Store

/// The `apns-collapse-id` under which the likes and boosts of one status share one banner.
enum CollapseID {
    private static let collapsing: Set<String> = ["like", "favourite", "share", "reblog"]

    /// 43 octets of base64url, or nil for a notification that stands alone.
    ///
    /// It is derived from the subscription too: two accounts of one device may get likes for statuses that happen to
    /// have the same id on two instances.
    static func derive(_ id: SubscriptionID, notificationType: String?, statusID: String?) -> String? {
        guard let notificationType, collapsing.contains(notificationType), let statusID else { return nil }
        return Base64URL.encode(SHA256.digest(id.digest + Array(statusID.utf8)))
    }
}
