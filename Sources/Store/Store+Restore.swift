import Glibc

extension Store {
    /// Puts a backup in the place of the database of a relay that does not run, or in the empty place of one that is lost.
    ///
    /// The backup is copied, and the copy is checked, before anything changes; a log or journal beside it is taken for its
    /// own and folded into the copy, so that what was moved aside can be restored as well. Then the database makes place
    /// with all that lies beside it, and is never deleted. Killed before that, a start finds the old database and a
    /// second run begins anew. Killed after it, a start refuses since the database is gone, and a second run goes on:
    /// it moves aside what the first left, under the same name, and puts the backup in place.
    ///
    /// - Returns: how many subscriptions there are now, and where the old database is; nil when there was none.
    /// - Throws: ``StoreError/unusableBackup(path:_:)`` and ``StoreError/inUse(path:)`` with nothing changed.
    package static func restore(
        _ files: StoreFiles,
        from path: String
    ) throws(StoreError) -> (count: Int, movedAside: String?) {
        try restore(files, from: path, now: Int64(time(nil)))
    }

    /// Restores like ``restore(_:from:)`` with a choice of the Unix time, which is in the name of the old database.
    static func restore(
        _ files: StoreFiles,
        from path: String,
        now: Int64
    ) throws(StoreError) -> (count: Int, movedAside: String?) {
        let path = StoreFiles.plain(path)
        let lock = try FileLock(files.lock, owner: files.database)
        files.removeRestored()
        let count: Int
        do throws(StoreError) {
            try files.copyBackup(path)
            count = try files.checkRestored(path)
        } catch {
            files.removeRestored()
            throw error
        }
        let movedAside = try files.moveAside(lock, now: now)
        // From here on a start without the file says that it is lost, also where there never was one. Where there was,
        // the mark is that one's until the other has its place, so that a second run knows what the first moved away.
        if try !lock.isMarked() { try lock.mark(files.restored) }
        guard rename(files.restored, files.database) == 0 else {
            throw .file(action: "create", path: files.database, code: errno)
        }
        try DurableFile.syncDirectory(of: files.database)
        try lock.mark(files.database)
        withExtendedLifetime(lock) {}
        return (count, movedAside)
    }
}

extension StoreFiles {
    /// Copies the backup and what belongs to it beside the database.
    fileprivate func copyBackup(_ path: String) throws(StoreError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .file(action: "look at", path: path, code: errno) }
            throw .unusableBackup(path: path, .missing)
        }
        // Before it is copied, since it may be anything.
        guard status.st_mode & S_IFMT == S_IFREG,
            try DurableFile.read(path)?.starts(with: Array("SQLite format 3\0".utf8)) == true
        else { throw .unusableBackup(path: path, .notADatabase) }
        for suffix in ["", "-wal", "-journal"] where suffix.isEmpty || DurableFile.exists(path + suffix) {
            try DurableFile.copy(path + suffix, to: restored + suffix, owner: database)
        }
    }

    /// Makes the copy one file that a start will take, and counts its subscriptions; `path` is the backup in errors.
    fileprivate func checkRestored(_ path: String) throws(StoreError) -> Int {
        let flaw: BackupFlaw
        do throws(StoreError) {
            let count = try fold()
            for suffix in Self.companions { unlink(restored + suffix) }
            try DurableFile.sync(restored)
            return count
        } catch {
            switch error {
            case .notADatabase: flaw = .notADatabase
            case .foreign: flaw = .foreign
            case .newer(let version): flaw = .newer(version: version)
            case .corrupt(let cause): flaw = .damaged(cause.message)
            case .missingSecretKey: flaw = .missingSecretKey(path: secretKey)
            case .wrongSecretKey: flaw = .wrongSecretKey(path: secretKey)
            default: throw error
            }
        }
        throw .unusableBackup(path: path, flaw)
    }

    private func fold() throws(StoreError) -> Int {
        let connection = try Connection(path: restored)
        try connection.configure(busyTimeout: 0)
        let kind = try connection.kind()
        try connection.checkStructure()
        if kind != .unsealed { try connection.requireKey(among: keyFile.read()) }
        let count = try connection.countRows()
        try connection.checkpoint(for: .restore)
        return count
    }

    /// Moves the database away with all that lies beside it.
    ///
    /// Returns where it is, also when a restore that was killed had moved it; nil when there was none.
    fileprivate func moveAside(_ lock: borrowing FileLock, now: Int64) throws(StoreError) -> String? {
        let present = Self.companions.filter { DurableFile.exists(database + $0) }
        let hasDatabase = DurableFile.exists(database)
        guard hasDatabase || !present.isEmpty else { return try unfinished(lock) }
        var aside = freeName(at: now)
        // The log of a file that is not there any more is not to be laid over another one. It goes with the file that a
        // restore which was killed has moved away already, or by itself.
        var belongs = hasDatabase
        if hasDatabase {
            belongs = try !lock.isReplaced(database)
            // Before the name is free, so that no start takes it for one that never had a database.
            if belongs { try lock.mark(database) }
            try move(database, to: aside)
        } else if let left = try unfinished(lock) {
            (aside, belongs) = (left, true)
        }
        let log = belongs || !hasDatabase ? aside : freeName(at: now)
        for suffix in present { try move(database + suffix, to: log + suffix) }
        // So that a second run finds also one that had taken the marked one's place. Not before its log, which is another
        // one's, is out of the way.
        if hasDatabase, !belongs { try lock.mark(aside) }
        // Before another file has the name.
        try DurableFile.syncDirectory(of: database)
        return aside
    }

    /// What a restore that was killed moved away, perhaps without its log: the file that was marked last.
    private func unfinished(_ lock: borrowing FileLock) throws(StoreError) -> String? {
        let directory = DurableFile.directory(of: database)
        // By octets, as the file system has names.
        let prefix = movedAside.utf8.dropFirst(directory == "." ? 0 : directory.utf8.count)
        for name in try DurableFile.names(in: directory) where name.utf8.starts(with: prefix) {
            let stamp = Substring(name.utf8.dropFirst(prefix.count))
            let path = movedAside + stamp
            if UTCStamp.time(stamp) != nil, try lock.isMark(of: path) { return path }
        }
        return nil
    }

    private func freeName(at now: Int64) -> String {
        var time = min(max(now, 0), UTCStamp.last - 1_000_000)
        while true {
            let path = movedAside + UTCStamp.text(time)
            if !([""] + Self.companions).contains(where: { DurableFile.exists(path + $0) }) { return path }
            time += 1
        }
    }

    private func move(_ path: String, to target: String) throws(StoreError) {
        guard rename(path, target) == 0 else { throw .file(action: "move away", path: path, code: errno) }
    }
}
