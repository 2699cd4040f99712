import Glibc
import Synchronization
import Threads

/// The subscriptions on disk, behind the one connection this process has to them.
///
/// One connection, because SQLite 3.7.0 … 3.51.2 may corrupt a file when two write or checkpoint at the same moment.
/// Each write is one statement or one transaction. What is promised to the app or a sender is synced to disk before the
/// call returns, so that it outlives a power cut; what a push counts is not. No call suspends halfway, so calls take
/// effect in one order, whole.
package actor Store {
    private let executor: ThreadExecutor
    /// Whether there was no database before.
    package nonisolated let isNew: Bool
    /// The copy of the file as it was before it was brought up to date; nil when that was not to be done, or no
    /// directory was given.
    ///
    /// It is never removed by the relay. The operator is to be told of one that is unsealed, and to delete it.
    package nonisolated let migrationBackup: MigrationBackup?
    /// `nil` once closed.
    private(set) var database: Database?
    /// What the counters are owed since a write failed.
    var debts = BadgeDebts()
    /// What happened to subscriptions since it was last written down.
    ///
    /// Not the actor's alone, so that a push that has nothing else to say does not wait for its thread.
    nonisolated let notes = Mutex(DeliveryNotes())
    /// Whether there are doubtful deletions for an acceptance to clear; likewise.
    nonisolated let hasDoubts: Atomic<Bool>
    var health = WriteHealth()

    /// Opens the database, creates it readable by its owner only, and brings it up to date.
    ///
    /// It blocks its caller for as long as that takes: it is meant for the start of the process.
    package init(_ files: StoreFiles) throws(StoreError) {
        // Longer than an operator's sqlite3 command holds a lock, shorter than the 9 s a push has for its answer.
        try self.init(files, busyTimeout: 2_000, now: Int64(time(nil)))
    }

    /// Opens like ``init(_:)`` with a choice of the milliseconds to wait for a lock and of the Unix time.
    init(_ files: StoreFiles, busyTimeout: Int32, now: Int64) throws(StoreError) {
        do throws(ThreadFailure) { executor = try ThreadExecutor() } catch {
            throw .noThread(code: error.code)
        }
        let database = try Database(files, busyTimeout: busyTimeout, now: now)
        isNew = database.isNew
        migrationBackup = database.migrationBackup
        hasDoubts = Atomic(database.tally.doubts > 0)
        self.database = database
    }

    /// The thread that every call on the store runs on, never a thread of Swift's pool.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Tells whether the database can be read, and written were there anything to write; `/healthz` asks.
    package func check() throws(StoreError) {
        let database = try open()
        try database.connection.execute("SELECT 1 FROM subscriptions LIMIT 1", for: .check)
        // To begin is to take the write lock, which a file that turned read-only or is held by another refuses.
        try database.connection.transaction(for: .check) {}
        try payDebts()
        // What is tried is what a promise takes.
        try database.syncCommits(true)
        try health.check(database.connection)
    }

    /// Folds the write-ahead log into the file, erasing what was deleted from both, and closes; once is enough.
    ///
    /// Notes are written down as well; should that fail they are lost and nobody is told, since nothing was promised
    /// about them. An error says that the log could not be folded in and stays beside the file, or that increments could
    /// not be taken back any more; it is closed all the same, and nothing else is lost. Every later call but this one
    /// throws ``StoreError/closed``.
    package func close() throws(StoreError) {
        guard let database else { return }
        do throws(StoreError) { try flushNotes() } catch {}
        var unpaid: StoreError?
        do throws(StoreError) { try payDebts() } catch { unpaid = error }
        self.database = nil
        // Closing folds the log in as well, but silently, and only when no other process has the file open.
        try database.connection.checkpoint(for: .close)
        database.leaveInOrder()
        if let unpaid { throw unpaid }
    }

    /// The database, unless it is closed, or its files are no longer where a restart would look for them.
    ///
    /// - Parameter isLookedFor: false spares the look at the files, for what may be lost with them.
    func open(isLookedFor: Bool = true) throws(StoreError) -> Database {
        guard let database else { throw .closed }
        if isLookedFor, let path = database.identity.missing { throw .moved(path: path) }
        return database
    }
}
