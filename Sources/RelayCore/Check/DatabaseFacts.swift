/// What whoever has the database open knows about it.
package struct DatabaseFacts: Codable, Sendable, Equatable {
    /// The first complaint of `PRAGMA quick_check`; nil when it has none.
    package var damage: String?
    package var schemaVersion: Int
    /// The version that this program works with.
    package var newestSchemaVersion: Int
    package var subscriptions: Int
    /// Octets of the file and its log.
    package var size: Int64
    /// Octets that an ordinary user may still write on its disk; nil where the system does not say.
    package var space: Int64?
    /// The same on the disk of `BACKUP_DIR`.
    package var backupSpace: Int64?
    /// When the newest backup in `BACKUP_DIR` was made, in seconds since 1970; nil when there is none.
    package var lastBackup: Int64?

    package init(
        damage: String? = nil,
        schemaVersion: Int,
        newestSchemaVersion: Int,
        subscriptions: Int,
        size: Int64,
        space: Int64? = nil,
        backupSpace: Int64? = nil,
        lastBackup: Int64? = nil
    ) {
        self.damage = damage
        self.schemaVersion = schemaVersion
        self.newestSchemaVersion = newestSchemaVersion
        self.subscriptions = subscriptions
        self.size = size
        self.space = space
        self.backupSpace = backupSpace
        self.lastBackup = lastBackup
    }
}
