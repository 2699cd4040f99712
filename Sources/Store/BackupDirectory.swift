import Glibc

/// Where backups lie: those on schedule, of which the newest are kept, and those that the operator asked for or that
/// are from before a migration, which all are.
///
/// Nothing else in the directory is ever touched.
package struct BackupDirectory: Sendable {
    /// Where it is; made at the first backup, for its owner's eyes only.
    package let path: String

    /// A backup that was made on schedule, or because the operator asked for one.
    package struct Backup: Sendable, Equatable {
        /// Where it is.
        package let path: String
        /// When it was made, in Unix seconds, by its name.
        package let time: Int64
    }

    /// What a backup is called until it is whole.
    static let draftSuffix = ".relay-draft"

    private static let ending = ".sqlite"
    private static let scheduled = "relay-"
    private static let byHand = "relay-by-hand-"
    private static let earlier = "before-version-"

    /// The directory that `BACKUP_DIR` names, which need not be there yet.
    package init(_ path: String) {
        self.path = StoreFiles.plain(path)
    }

    /// The backups that were made on schedule, the oldest first; none where there is no directory.
    package func backups() throws(StoreError) -> [Backup] {
        try backups(Self.scheduled)
    }

    /// The newest backup that was made on schedule or by hand; nil when there is none.
    ///
    /// What is dated later than `now`, in Unix seconds, was made while the clock was wrong. It would seem new for ever.
    package func newest(at now: Int64) throws(StoreError) -> Backup? {
        let all = try backups() + backups(Self.byHand)
        return all.filter { $0.time <= now }.max { $0.time < $1.time }
    }

    /// Where the copies of before an upgrade are that hold every secret in the clear, for the operator to delete.
    package func unsealed() throws(StoreError) -> [String] {
        try DurableFile.names(in: path).filter { name in
            name.hasPrefix(Self.earlier) && name.contains("-unsealed-") && name.hasSuffix(Self.ending)
        }.sorted().map { "\(path)/\($0)" }
    }

    /// Makes the directory where there is none, for whom `owner` belongs to.
    func create(owner: String) throws(StoreError) {
        guard try !DurableFile.createDirectory(path, owner: owner) else { return }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .file(action: "create the directory", path: path, code: ENOTDIR)
        }
    }

    /// Keeps other relays from making and removing backups here; nil where the file system has no locks.
    ///
    /// On the directory itself, so that nothing lies in it that is no backup.
    ///
    /// - Throws: ``StoreError/backupsInUse(path:)`` when one does so already.
    func lock() throws(StoreError) -> FileLock? {
        do throws(StoreError) { return try FileLock(existing: path) } catch {
            switch error {
            case .inUse: throw .backupsInUse(path: path)
            case .file("lock", _, _): return nil
            default: throw error
            }
        }
    }

    /// A name for a backup made on schedule or by hand, not taken yet; `now` in Unix seconds.
    func free(isByHand: Bool, at now: Int64) -> String { free(isByHand ? Self.byHand : Self.scheduled, at: now) }

    /// Removes the oldest of the backups made on schedule, as of `now` in Unix seconds.
    ///
    /// Those that are dated later were made while the clock was wrong. They take no place of the others, and are not
    /// removed before their time has come: nobody knows how old they are.
    ///
    /// - Parameter made: the one that is spared at any rate: of two within a second its name is of the next one.
    func prune(keeping count: Int, sparing made: String, at now: Int64) throws(StoreError) {
        let others = try backups().filter { $0.path != made && $0.time <= now }
        for backup in others.dropLast(max(count, 1) - 1) {
            guard unlink(backup.path) == 0 || errno == ENOENT else {
                throw .file(action: "remove", path: backup.path, code: errno)
            }
        }
    }

    /// Removes what was left by a process that was killed while it made a backup here.
    func removeDrafts() throws(StoreError) {
        for name in try DurableFile.names(in: path) where name.hasSuffix(Self.draftSuffix) {
            let name = name.dropLast(Self.draftSuffix.count)
            let isOurs = name.hasPrefix(Self.scheduled) || name.hasPrefix(Self.earlier)
            if isOurs, name.hasSuffix(Self.ending) { unlink("\(path)/\(name)\(Self.draftSuffix)") }
        }
    }

    private func free(_ prefix: String, at now: Int64) -> String {
        // One that was made within the same second has the name of that second.
        var time = min(max(now, 0), UTCStamp.last - 1_000_000)
        while true {
            let path = "\(path)/\(prefix)\(UTCStamp.text(time))\(Self.ending)"
            guard DurableFile.exists(path) else { return path }
            time += 1
        }
    }

    private func backups(_ prefix: String) throws(StoreError) -> [Backup] {
        var found: [Backup] = []
        for name in try DurableFile.names(in: path) where name.hasPrefix(prefix) && name.hasSuffix(Self.ending) {
            guard let time = UTCStamp.time(name.dropFirst(prefix.count).dropLast(Self.ending.count)) else { continue }
            var status = stat()
            let path = "\(path)/\(name)"
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            found.append(Backup(path: path, time: time))
        }
        return found.sorted { $0.time < $1.time }
    }
}

/// A copy of the file as it was before it was brought up to date.
package struct MigrationBackup: Sendable, Equatable {
    /// Where it is.
    package let path: String
    /// Whether it is of a time when nothing was sealed: whoever reads it can push to every device.
    package let isUnsealed: Bool
}

extension BackupDirectory {
    /// Keeps a copy of a file that is about to be brought up to date; `now` in Unix seconds.
    ///
    /// A file in which nothing is sealed is copied too, although all of its secrets are in the clear and the copy is none
    /// that the migration rewrites. The step from there is the largest one there is, and a bad one without a way back
    /// takes every phone its pushes, while the file has lain there in the clear all along, with the same mode, and so
    /// have the copies of it that the operator made. So it is copied, its name says `unsealed`, and who starts the relay
    /// is to be told to delete it once all is well: see ``Store/migrationBackup``.
    ///
    /// A start that fails after it and is tried again finds the copy that is there, and makes no second one.
    func keep(
        _ connection: borrowing Connection,
        _ kind: Connection.Kind,
        now: Int64
    ) throws(StoreError) -> MigrationBackup {
        let isUnsealed = kind == .unsealed
        let prefix = "\(Self.earlier)\(Schema.Version.current)-\(isUnsealed ? "unsealed-" : "")"
        do throws(StoreError) {
            try create(owner: connection.path)
            let lock = try lock()
            try removeDrafts()
            let path = try connection.backUp(to: free(prefix, at: now), unlessLike: backups(prefix).last?.path)
            withExtendedLifetime(lock) {}
            return MigrationBackup(path: path, isUnsealed: isUnsealed)
        } catch {
            if case .notBackedUp = error { throw error }
            throw .notBackedUp(path: path, because: error)
        }
    }
}
