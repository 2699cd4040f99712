/// What the page at the address of the numbers tells, as plain values; times are Unix seconds.
package struct StatusReport: Sendable {
    /// The release of the relay.
    package var version: String
    /// The moment that everything here was read at.
    package var now: Int64
    /// When this process began.
    package var runningSince: Int64
    /// What needs the operator, in any order; empty is healthy.
    package var problems: [Problem] = []
    package var facts: Facts
    /// The subscriptions to show, in the order to show them in; the page shows no more than 100.
    ///
    /// Nil where they cannot be read, so that nobody takes them for lost.
    package var subscriptions: [Subscription]? = []
    /// Hours that had pushes, in any order; one that is missing had none, and one older than a day is not shown.
    ///
    /// Nil where they cannot be read.
    package var hours: [Hour]? = []
    /// The newest first; the page tells those that are alike once, and no more than 20 kinds.
    package var lastErrors: [RecentFailures.Entry] = []

    package init(version: String, now: Int64, runningSince: Int64, facts: Facts) {
        self.version = version
        self.now = now
        self.runningSince = runningSince
        self.facts = facts
    }
}

extension StatusReport {
    /// Something that is wrong, and what to do about it.
    package struct Problem: Sendable {
        package enum Severity: Sendable {
            /// It does not work now: pushes fail, or data is at risk.
            case error
            /// It works, and will not for long.
            case warning
        }

        package var severity: Severity
        /// A sentence, with or without its full stop.
        package var what: String
        /// What to do, as a sentence in the imperative.
        package var remedy: String

        package init(_ severity: Severity, _ what: String, remedy: String) {
            self.severity = severity
            self.what = what
            self.remedy = remedy
        }
    }

    /// Single figures; nil is what cannot be known, or is not yet.
    package struct Facts: Sendable {
        /// When Apple last accepted a push for any subscription.
        package var lastAccepted: Int64?
        /// When the newest backup was made.
        package var lastBackup: Int64?
        /// Seconds between two backups; nil where none are scheduled.
        package var backupInterval: Int64?
        /// The size of the database with its log, in octets.
        package var databaseOctets: Int64?
        /// What is free on the database's disk, in octets.
        package var diskFreeOctets: Int64?
        /// All subscriptions there are, shown or not.
        package var subscriptionCount: Int?
        package var subscriptionLimit: Int
        /// The age of the token that Apple knows the relay by, in seconds.
        package var providerTokenAge: Int64?
        /// Days until the certificate of the public URL ends; negative when it has.
        package var certificateDaysLeft: Int?

        package init(subscriptionCount: Int?, subscriptionLimit: Int) {
            self.subscriptionCount = subscriptionCount
            self.subscriptionLimit = subscriptionLimit
        }
    }

    /// One account on one device, without anything secret.
    package struct Subscription: Sendable {
        package var label: String
        package var account: String
        /// The name the operator's commands take: the short hash of the id.
        package var hash: String
        /// `production` or `sandbox`; nil while that is not known.
        package var environment: String?
        package var created: Int64
        package var lastAccepted: Int64?
        package var lastFailure: Failure?
        /// Unread messages of this subscription alone.
        package var badge = 0
        package var showsBadges = true
        /// Whether it takes messages from one instance alone.
        package var isPinned = false

        package init(label: String, account: String, hash: String, created: Int64) {
            self.label = label
            self.account = account
            self.hash = hash
            self.created = created
        }
    }

    /// The last push to a subscription that did not go through.
    package struct Failure: Sendable {
        package var time: Int64
        package var text: String

        package init(time: Int64, text: String) {
            self.time = time
            self.text = text
        }
    }

    /// The pushes of one hour by what became of them.
    package struct Hour: Sendable {
        /// A second of that hour; it begins where the clock shows a full hour in UTC.
        package var start: Int64
        package var accepted = 0
        /// Second tries of what Apple had accepted.
        package var repeated = 0
        /// Pushes to devices that Apple says are gone.
        package var gone = 0
        /// Pushes that were at fault themselves.
        package var refused = 0
        package var limited = 0
        package var failed = 0
        /// Milliseconds from a push's receipt to its acceptance; nil without one.
        package var latencyMean: Int?
        /// Milliseconds from receipt to acceptance of the slowest push; nil without one.
        package var latencyMax: Int?

        package init(start: Int64) { self.start = start }
    }
}
