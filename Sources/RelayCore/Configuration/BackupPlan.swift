/// Where scheduled backups go, how often one is made, and how many are kept.
package struct BackupPlan: Sendable, Equatable {
    /// An absolute path; it is made at the first backup.
    package let directory: String
    /// A minute to 30 days.
    package let interval: Duration
    /// 1 to 1,000; those that were made before a migration are not among them.
    package let keep: Int

    /// A backup that is older than this is a fault that `/healthz` reports.
    package var oldestHealthy: Duration { interval * 2 }
}
