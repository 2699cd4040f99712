extension CheckLine {
    /// Whether the database is whole, of a version that this program knows, and has room; and its backups.
    ///
    /// - Parameter plan: of the scheduled backups, nil where there are none; a failure where its variables are wrong.
    static func database(
        _ facts: Result<DatabaseFacts, Check.Unavailable>,
        backups plan: Result<BackupPlan?, Problems>,
        now: Int64
    ) -> [CheckLine] {
        switch facts {
        case .failure(let error):
            [CheckLine("database", .failed, sentence: error.sentence)]
        case .success(let facts):
            [database(facts), space("database disk", facts.space, size: facts.size)] + backups(facts, plan, now: now)
        }
    }

    private static func backups(
        _ facts: DatabaseFacts,
        _ plan: Result<BackupPlan?, Problems>,
        now: Int64
    ) -> [CheckLine] {
        switch plan {
        case .success(nil): [backups(facts, nil, now: now)]
        case .success(let plan?):
            [backups(facts, plan, now: now), space("backup disk", facts.backupSpace, size: facts.size)]
        case .failure: [CheckLine("backups", .skipped, "mend the configuration first")]
        }
    }

    private static func database(_ facts: DatabaseFacts) -> CheckLine {
        let name = "database"
        if let damage = facts.damage {
            let remedy = "stop the relay and restore the last backup"
            return CheckLine(name, .failed, "is damaged (\(damage))", remedy: remedy)
        }
        let version = "schema \(facts.schemaVersion)"
        guard facts.schemaVersion <= facts.newestSchemaVersion else {
            let text = "\(version) is of a later release, and this one knows \(facts.newestSchemaVersion)"
            return CheckLine(name, .failed, text, remedy: "install the later release again, or restore a backup")
        }
        guard facts.schemaVersion == facts.newestSchemaVersion else {
            let text = "\(version) is older than \(facts.newestSchemaVersion)"
            let remedy = "restart the relay: its start brings the database up to date"
            return CheckLine(name, .warning, text, remedy: remedy)
        }
        let rows = facts.subscriptions == 1 ? "1 subscription" : "\(facts.subscriptions) subscriptions"
        return CheckLine(name, .ok, "whole, \(version), \(rows), \(Words.size(facts.size))")
    }

    /// A migration and a backup each write the whole of it once more.
    private static func space(_ name: String, _ space: Int64?, size: Int64) -> CheckLine {
        guard let space else { return CheckLine(name, .skipped, "the system does not tell the space left") }
        let text = "\(Words.size(space)) left"
        let remedy = "make room: without it nothing is counted, registered or backed up"
        if space < max(Disk.errorSpace, size) { return CheckLine(name, .failed, text, remedy: remedy) }
        if space < max(Disk.warningSpace, size.multipliedReportingOverflow(by: 4).partialValue) {
            return CheckLine(name, .warning, text, remedy: remedy)
        }
        return CheckLine(name, .ok, text)
    }

    private static func backups(_ facts: DatabaseFacts, _ plan: BackupPlan?, now: Int64) -> CheckLine {
        let name = "backups"
        guard let plan else {
            let remedy = "set BACKUP_DIR, best to a directory that is copied to another machine"
            return CheckLine(name, .warning, "none are made by themselves", remedy: remedy)
        }
        let remedy = "see that the relay runs and may write to BACKUP_DIR, and what its log says of backups"
        guard let last = facts.lastBackup else {
            return CheckLine(name, .failed, "there is none in \(plan.directory)", remedy: remedy)
        }
        let (age, hasOverflowed) = now.subtractingReportingOverflow(last)
        guard !hasOverflowed, .seconds(age) <= plan.oldestHealthy else {
            let text = "the last is \(Words.duration(hasOverflowed ? .max : age)) old"
            return CheckLine(name, .failed, text, remedy: remedy)
        }
        return CheckLine(name, .ok, "the last is \(Words.duration(max(0, age))) old, in \(plan.directory)")
    }
}
