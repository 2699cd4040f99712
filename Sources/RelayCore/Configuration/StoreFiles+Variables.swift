package import Store

extension StoreFiles {
    /// What a command needs that opens no database, or none that it would bring up to date: no variable of backups.
    package init(variables: [String: String]) throws(Problems) {
        var reader = VariableReader(variables)
        guard let files = reader.storeFiles() else { throw Problems(all: reader.problems) }
        self = files
    }

    /// What a command needs that may bring the database up to date, for which a copy of it goes to `BACKUP_DIR`.
    package init(migrating variables: [String: String]) throws(Problems) {
        var reader = VariableReader(variables)
        guard let backups = reader.backupPlan(), let files = reader.storeFiles(backups: backups?.directory) else {
            throw Problems(all: reader.problems)
        }
        self = files
    }
}

extension BackupPlan {
    /// Where a command finds backups, and puts its own; nil where none is scheduled.
    package static func read(_ variables: [String: String]) throws(Problems) -> BackupPlan? {
        var reader = VariableReader(variables)
        guard let plan = reader.backupPlan() else { throw Problems(all: reader.problems) }
        return plan
    }
}

extension Variable {
    /// `PUBLIC_URL` alone, for a command that needs no more of the configuration.
    package static func publicURL(in variables: [String: String]) throws(Problems) -> String {
        var reader = VariableReader(variables)
        guard let url = reader.publicURL() else { throw Problems(all: reader.problems) }
        return url
    }
}

extension VariableReader {
    /// The origin of the endpoints.
    mutating func publicURL() -> String? {
        required(.publicURL, "the https:// origin of this relay", parse: parsePublicURL)
    }

    /// The plan of the scheduled backups, or that there are none; nil when one of its variables is wrong.
    mutating func backupPlan() -> BackupPlan?? {
        let directory = optional(.backupDirectory, default: "", parse: parseAbsolutePath)
        let interval = optional(.backupInterval, default: "24h", parse: parseInterval)
        let keep = optional(.backupKeep, default: "14") { text throws(Fault) in try parseCount(text, most: 1_000) }
        guard let directory, let interval, let keep else { return nil }
        return .some(directory.map { BackupPlan(directory: $0, interval: interval, keep: keep) })
    }

    /// The database and its key, which lies beside it unless it is named.
    ///
    /// - Parameter backups: where a copy goes before an upgrade changes the database.
    mutating func storeFiles(backups: String? = nil) -> StoreFiles? {
        let database = required(.databasePath, "the path of the SQLite file", parse: parsePath)
        let secretKey = optional(.secretKeyFile, default: "", parse: parsePath)
        guard let database, let secretKey else { return nil }
        return StoreFiles(database: database, secretKey: secretKey.isEmpty ? nil : secretKey, backups: backups)
    }
}
