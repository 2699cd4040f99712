/// What a look at the whole database found.
package struct Examination: Sendable, Equatable {
    /// The first damage in its structure, in SQLite's words; nil for none.
    package let damage: String?
    /// The version of its tables; 0 for a file of the first releases.
    package let version: Int64
    /// The version that this release works with.
    package static let newestVersion = Schema.Version.current
    /// How many subscriptions there are, as far as damage lets them be counted.
    package let count: Int
}

extension Store {
    /// Reads the whole file for damage; other calls wait.
    package func examine() throws(StoreError) -> Examination {
        try open().connection.examination()
    }

    /// Looks at the database of a relay that does not run, and neither writes anything nor makes a file.
    ///
    /// It throws what would keep the relay from starting, but for damage, which is in the answer.
    ///
    /// - Returns: nil when there is no database, and never was one: the first start makes it.
    /// - Throws: ``StoreError/inUse(path:)`` when it does run.
    package static func examine(_ files: StoreFiles) throws(StoreError) -> Examination? {
        try look(at: files) { (connection) throws(StoreError) in try connection.examination() }
    }

    /// The version of the tables of a relay that does not run, likewise, without reading the whole file; nil when there is
    /// no database.
    ///
    /// A start would bring one below ``Examination/newestVersion`` up to date.
    package static func version(of files: StoreFiles) throws(StoreError) -> Int64? {
        try look(at: files) { (connection) throws(StoreError) in try connection.pragma("user_version") }
    }

    private static func look<Finding>(
        at files: StoreFiles,
        _ find: (borrowing Connection) throws(StoreError) -> Finding
    ) throws(StoreError) -> Finding? {
        let lock = try FileLock(existing: files.lock)
        let mark = try lock?.isMarked() ?? false
        guard try files.isPresent() else {
            guard !mark else { throw .lost(path: files.database) }
            return nil
        }
        if files.hasLog, try lock?.isReplaced(files.database) ?? false {
            throw .staleLog(path: files.database + "-wal")
        }
        let connection = try Connection.examining(files)
        do throws(StoreError) {
            if try connection.kind() != .unsealed {
                try connection.requireKey(among: files.keyFile.read())
            }
        } catch .corrupt {
            // Of which an examination tells more.
        }
        return try find(connection)
    }
}

extension Connection {
    /// Opens a file that no relay has, so that it is read with its log and both stay as they are.
    fileprivate static func examining(_ files: StoreFiles) throws(StoreError) -> Connection {
        guard files.hasLog else { return try Connection(frozen: files.database) }
        let connection = try Connection(path: files.database)
        try connection.foldLogOnClose(false)
        // An exclusive lock, and the index of the log is not in a file but in memory.
        // https://sqlite.org/wal.html#use_of_wal_without_shared_memory
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON", for: .open)
        return connection
    }

    fileprivate func examination() throws(StoreError) -> Examination {
        var found = (damage: String?.none, version: Int64(0), count: 0)
        do throws(StoreError) {
            found.version = try pragma("user_version")
            found.damage = try damage()
            found.count = try countRows()
        } catch .corrupt(let cause) {
            found.damage = found.damage ?? cause.message
        }
        return Examination(damage: found.damage, version: found.version, count: found.count)
    }
}
