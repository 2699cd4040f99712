import Glibc

/// The database and what lies beside it; all of it is its owner's alone.
package struct StoreFiles: Sendable {
    /// The SQLite file; SQLite adds `-wal` and `-shm` to its name.
    package let database: String
    /// The key that the secrets in the database are sealed with.
    package let secretKey: String
    /// Where a copy goes before the file is brought up to date; nil for no copy.
    package let backups: BackupDirectory?

    /// - Parameters:
    ///   - database: `DB_PATH`; a symbolic link stands for the file that it leads to.
    ///   - secretKey: `RELAY_SECRET_KEY_FILE`, likewise; beside the database unless given.
    ///   - backups: `BACKUP_DIR`, which need not be there yet.
    package init(database: String, secretKey: String? = nil, backups: String? = nil) {
        self.database = Self.resolved(database)
        self.secretKey = secretKey.map(Self.resolved) ?? self.database + ".secret-key"
        self.backups = backups.map(BackupDirectory.init)
    }

    /// Where a path leads, if there is something: what is written anew there must not take a link's place.
    private static func resolved(_ path: String) -> String {
        let path = plain(path)
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// A path that is a file's to SQLite too, to which "" and ":memory:" are databases that vanish with the process.
    static func plain(_ path: String) -> String {
        path.utf8.first == UInt8(ascii: "/") ? path : "./\(path)"
    }

    /// Whether every user of this machine may read the key.
    package var isSecretKeyReadableByAll: Bool {
        var status = stat()
        return stat(secretKey, &status) == 0 && status.st_mode & 0o007 != 0
    }

    /// What the key is read from and written to.
    var keyFile: SecretKeyFile { SecretKeyFile(path: secretKey, database: database) }
    /// Held locked for as long as a relay has the database; what is written in it says that there is one.
    var lock: String { database + ".lock" }
    /// Where a new database is made before it takes its name.
    var draft: String { database + ".new" }
    /// Where a backup is copied to before it takes the place of the database.
    var restored: String { database + ".restore-draft" }
    /// What a database that made place for a backup is called, with the time behind it.
    var movedAside: String { database + ".before-restore-" }

    /// What SQLite may keep beside a database, and takes for that one's by its name alone.
    static let companions = ["-wal", "-journal", "-shm"]

    /// Whether there is a file to open: one that SQLite would not take for an empty database.
    ///
    /// SQLite opens a file of 0 octets as an empty database without a word. Every endpoint would then be answered with
    /// 404, and every instance would forget its subscriptions for good.
    func isPresent() throws(StoreError) -> Bool {
        var status = stat()
        guard stat(database, &status) == 0 else {
            guard errno == ENOENT else { throw .file(action: "look at", path: database, code: errno) }
            // A link that leads nowhere, or a log without its file: what they belong to is not here, and was.
            guard lstat(database, &status) != 0, !hasLog else { throw .lost(path: database) }
            return false
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        guard status.st_size > 0 else { throw .empty(path: database) }
        // The first octets of every SQLite file (https://sqlite.org/fileformat.html, section 1.3). SQLite looks at them
        // too, but only after the relay has made files of its own beside it.
        guard try DurableFile.read(database)?.starts(with: Array("SQLite format 3\0".utf8)) == true else {
            throw .notADatabase
        }
        return true
    }

    /// Whether a relay that was killed has left something in the log that is not in the file yet.
    var hasLog: Bool {
        var status = stat()
        return stat(database + "-wal", &status) == 0 && status.st_size > 0
    }

    /// Takes from the others of this machine what a laxer umask gave them.
    func protect() {
        for suffix in ["", "-wal", "-shm"] {
            var status = stat()
            // Where it fails, another user owns the file; what is secret in it is sealed all the same.
            if stat(database + suffix, &status) == 0, status.st_mode & 0o077 != 0 { chmod(database + suffix, 0o600) }
        }
    }

    /// Gives the draft its name, and has that last over a power cut.
    func publishDraft() throws(StoreError) {
        guard rename(draft, database) == 0 else { throw .file(action: "create", path: database, code: errno) }
        try DurableFile.syncDirectory(of: database)
    }

    /// Removes what a start that was killed may have left.
    func removeDraft() {
        for suffix in [""] + Self.companions { unlink(draft + suffix) }
    }

    /// Removes what a restore that was killed may have left.
    func removeRestored() {
        for suffix in [""] + Self.companions { unlink(restored + suffix) }
    }
}
