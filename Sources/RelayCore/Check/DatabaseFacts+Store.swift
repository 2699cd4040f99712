import Glibc
package import Store

extension DatabaseFacts {
    /// What the process knows that has the database open.
    init(_ store: Store, _ files: StoreFiles, _ backups: Backups) async throws(StoreError) {
        self.init(try await store.examine(), files, backups.plan, lastBackup: backups.newest)
    }

    /// What can be told of a database that no relay has open; nil where there is none, which the first start makes.
    package init?(_ files: StoreFiles, _ plan: BackupPlan?) throws(StoreError) {
        let newest = try plan.flatMap { plan throws(StoreError) in
            try BackupDirectory(plan.directory).newest(at: Clocks.system.now())?.time
        }
        guard let found = try Store.examine(files) else { return nil }
        self.init(found, files, plan, lastBackup: newest)
    }

    private init(_ found: Examination, _ files: StoreFiles, _ plan: BackupPlan?, lastBackup: Int64?) {
        self.init(
            damage: found.damage,
            schemaVersion: Int(clamping: found.version),
            newestSchemaVersion: Int(clamping: Examination.newestVersion),
            subscriptions: found.count,
            size: Disk.size(ofDatabase: files.database),
            space: Disk.space(at: files.database),
            backupSpace: plan.flatMap { Disk.space(at: $0.directory) },
            lastBackup: lastBackup
        )
    }
}
