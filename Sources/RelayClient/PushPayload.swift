/// What a push of the relay says beside its alert: whom it is for, and what to open.
///
/// Whoever knows an endpoint may have written it, so that nothing in it is taken that does not have the form of an id or
/// of a word. An id may still be none that the instance knows.
public struct PushPayload: Sendable, Hashable {
    /// What happened; nil where the instance does not say.
    public let notificationType: NotificationType?

    /// The id of the status that it is about, 1 to 128 letters and digits.
    public let statusID: String?

    /// The id of the account that did it, 1 to 128 letters and digits.
    public let accountID: String?

    /// The account that it is for, as the app named it to
    /// ``RelayClient/subscribe(deviceToken:label:account:environment:vapidKey:)``, up to 256 octets of UTF-8.
    public let account: String?

    /// Reads the `userInfo` of a notification.
    ///
    /// `aps` is iOS's and not looked at. A value that is not of its form counts as absent.
    ///
    /// - Returns: nil when nothing in it is the relay's.
    public init?(userInfo: [AnyHashable: Any]) {
        notificationType = Self.text("notification_type", in: userInfo).flatMap(NotificationType.init)
        statusID = Self.id("status_id", in: userInfo)
        accountID = Self.id("account_id", in: userInfo)
        account = Self.text("account", in: userInfo).flatMap { account in
            let isAccount =
                (1...256).contains(account.utf8.count)
                && account.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            return isAccount ? account : nil
        }
        let isEmpty = notificationType == nil && statusID == nil && accountID == nil && account == nil
        if isEmpty { return nil }
    }

    /// What to open when the user taps the notification.
    public enum Destination: Sendable, Hashable {
        /// The status of this id.
        case status(String)
        /// The profile of the account of this id.
        case profile(String)
        /// Nothing that the push names.
        case none
    }

    /// What to open: the sender's profile for a follow, a request to follow and a direct message, and else the status.
    ///
    /// Pixelfed calls a direct message a mention, and names no status in it: whatever is about none opens the profile.
    public var destination: Destination {
        let profile = accountID.map(Destination.profile) ?? .none
        return switch notificationType {
        case .follow, .followRequest, .directMessage: profile
        default: statusID.map(Destination.status) ?? profile
        }
    }

    private static func text(_ key: String, in userInfo: [AnyHashable: Any]) -> String? {
        userInfo[key] as? String
    }

    private static func id(_ key: String, in userInfo: [AnyHashable: Any]) -> String? {
        text(key, in: userInfo).flatMap { id in
            (1...128).contains(id.utf8.count) && id.utf8.allSatisfy(\.isLetterOrDigit) ? id : nil
        }
    }
}

extension UInt8 {
    /// Whether it is one of ASCII's; Unicode has digits that no instance means.
    var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
