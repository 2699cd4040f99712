import Glibc
package import Store

extension DatabaseFacts {
    /// What the process knows that has the database open.
    init(_ store: Store, _ files: StoreFiles, _ backups: Backups) async throws(StoreError) {
        self.init(try await store.examine(), files, backups.plan, lastBackup: backups.newest)
    }

    /// What can be told of a database that no relay has open.
    package init(_ files: StoreFiles, _ plan: BackupPlan?) throws(StoreError) {
        let newest = plan.flatMap { BackupDirectory($0.directory).newest?.time }
        self.init(try Store.examine(files), files, plan, lastBackup: newest)
    }

    private init(_ found: Examination, _ files: StoreFiles, _ plan: BackupPlan?, lastBackup: Int64?) {
        self.init(
            damage: found.damage,
            schemaVersion: found.version,
            newestSchemaVersion: found.newestVersion,
            subscriptions: found.rows,
            size: Disk.size(of: files.database) + Disk.size(of: files.database + "-wal"),
            space: Disk.space(at: files.database),
            backupSpace: plan.flatMap { Disk.space(at: $0.directory) },
            lastBackup: lastBackup
        )
    }
}
