/// Why a file is not put in the place of the database.
package enum BackupFlaw: Sendable, Equatable {
    /// There is no such file.
    case missing
    /// It is a directory, empty, or no database.
    case notADatabase
    /// It is a database of another program.
    case foreign
    /// It is of a later release.
    case newer(version: Int64)
    /// Its structure is damaged, as SQLite words it.
    case damaged(String)
    /// Its rows are sealed, and there is no key in that place.
    case missingSecretKey(path: String)
    /// Its rows are sealed with another key than the one in that place.
    case wrongSecretKey(path: String)
}

extension BackupFlaw: CustomStringConvertible {
    /// What is wrong, with a remedy.
    package var description: String {
        switch self {
        case .missing: "there is no such file: name the backup to restore"
        case .notADatabase: "the file is no database: name another backup"
        case .foreign: "the database is another program's: name a backup of the relay's"
        case .newer(let version):
            "it is of a later release (version \(version)): install that release, or name a backup from before it"
        case .damaged(let message): "it is damaged (\(message)): name another backup"
        case .missingSecretKey(let path):
            "its subscriptions are sealed with a key that is not in \(path): put your copy of the secret key there"
        case .wrongSecretKey(let path):
            "its subscriptions are sealed with another key than the one in \(path): put the key there that was in use "
                + "when the backup was made"
        }
    }
}
