/// One subscription as its operator sees it: nothing in it opens an endpoint or names a device to Apple.
package struct SubscriptionReport: Codable, Sendable {
    /// The first eight hexadecimal digits of the id's SHA-256, as the log has it.
    package let hash: String
    /// The same for all subscriptions of one device.
    package let device: String
    package let label: String
    package let account: String
    /// `production` or `sandbox`; nil while it is not known.
    package let environment: String?
    /// Unix seconds, as every time here.
    package let createdAt: Int64
    package let lastAcceptedAt: Int64?
    package let lastFailedAt: Int64?
    package let lastFailure: String?
    package let badge: Int
    package let badgesEnabled: Bool
    /// Whether it takes messages from one instance alone.
    package let isPinned: Bool

    private enum CodingKeys: String, CodingKey {
        case hash, device, label, account, environment, badge
        case createdAt = "created_at"
        case lastAcceptedAt = "last_accepted_at"
        case lastFailedAt = "last_failed_at"
        case lastFailure = "last_failure"
        case badgesEnabled = "badges_enabled"
        case isPinned = "pinned"
    }
}

/// A way to a subscription for one test alert.
package struct TestTicket: Codable, Sendable {
    /// Behind PUBLIC_URL.
    package let path: String
    /// What to post there, as base64url: encrypted for the subscription as an instance does it.
    package let message: String
    package let subscription: SubscriptionReport
}

/// A path that answers one POST as nobody else can.
package struct ProbeTicket: Codable, Sendable {
    package let path: String
    /// The body of the answer, as base64url.
    package let answer: String
}

/// What to back up to; without a path, to `BACKUP_DIR`.
package struct BackupRequest: Codable, Sendable {
    package let path: String?

    package init(path: String?) {
        self.path = path
    }
}

/// A backup that was made and checked.
package struct BackupReport: Codable, Sendable {
    package let path: String
    package let octets: Int64
    package let subscriptions: Int
}

/// An error of the control socket, as the app's routes have it.
package struct ControlProblem: Decodable, Sendable {
    package let error: String
    package let message: String
}
