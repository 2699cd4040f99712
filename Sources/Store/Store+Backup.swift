extension Store {
    /// Writes a backup to a new file: whole, checked, on the disk and readable by its owner only, or none.
    ///
    /// The secret key is not in it, and without the key it is worth nothing. Other calls wait for as long as it takes.
    ///
    /// - Parameter path: where there must be nothing yet, in a directory that is there.
    /// - Throws: ``StoreError/exists(path:)`` when there is, and ``StoreError/notBackedUp(path:because:)``.
    package func backup(to path: String) throws(StoreError) {
        let database = try open()
        _ = try database.connection.backUp(to: StoreFiles.plain(path))
    }

    /// Writes a backup to the directory, named after `now` in Unix seconds, and removes those that are too many.
    ///
    /// It is made before any is removed; ``StoreError/file(action:path:code:)`` says that one could not be, and that the
    /// backup was made all the same.
    ///
    /// - Parameter count: how many that were made on schedule are kept, this one included; at least 1. Nil for one that
    ///   the operator asked for: it removes none, and none removes it.
    /// - Returns: where the backup is.
    @discardableResult
    package func backup(
        into directory: BackupDirectory,
        keeping count: Int?,
        at now: Int64
    ) throws(StoreError) -> String {
        let database = try open()
        let path: String
        do throws(StoreError) {
            try directory.create(owner: database.connection.path)
            try database.hold(directory)
            // Before, so that they do not take the room.
            try directory.removeDrafts()
            path = try database.connection.backUp(to: directory.free(isByHand: count == nil, at: now))
        } catch {
            if case .notBackedUp = error { throw error }
            throw .notBackedUp(path: directory.path, because: error)
        }
        if let count { try directory.prune(keeping: count, sparing: path, at: now) }
        return path
    }
}
