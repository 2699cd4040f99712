import CSQLite
import Crypto
import Glibc

/// A handle on the file, closed when it goes out of scope; one thread at a time.
struct Connection: ~Copyable {
    private let handle: OpaquePointer
    let patience = LockPatience()
    let soundness = Soundness()

    /// Opens the file at `path`, made for its owner's eyes only if `creating`, and reads nothing of it yet.
    init(path: String, creating: Bool = false) throws(StoreError) {
        var flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        if creating {
            // SQLite gives -wal and -shm the mode of the main file, so making that one with 0600 settles all three. With
            // O_EXCL a file that exists is not opened here: closing it would drop every POSIX lock this process has on
            // it. Failures are left for SQLite to meet again and to report.
            let file = Glibc.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
            if file >= 0 { Glibc.close(file) }
            flags |= SQLITE_OPEN_CREATE
        }
        // NOMUTEX above is SQLite's multi-thread mode: the actor already lets one thread in at a time.
        handle = try Self.open(path, flags)
    }

    /// Opens a file that nobody writes to, and neither locks it nor makes another one beside it; a log is not read.
    init(frozen path: String) throws(StoreError) {
        // https://sqlite.org/uri.html
        let unreserved = Array("/-_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
        let name = path.utf8.map { octet in
            unreserved.contains(octet) ? String(UnicodeScalar(octet)) : "%" + Hex.encode([octet])
        }
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI
        handle = try Self.open("file:\(name.joined())?immutable=1", flags)
    }

    /// Where the database is.
    var path: String { sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? "" }

    private static func open(_ name: String, _ flags: Int32) throws(StoreError) -> OpaquePointer {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(name, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let error = StoreError(.open, code: code, on: handle)
            // A handle comes back even from an open that failed, to carry its message.
            sqlite3_close_v2(handle)
            throw error
        }
        return handle
    }

    deinit {
        // Nobody is left to be asked.
        sqlite3_busy_handler(handle, nil, nil)
        // The second version of close waits for statements that are still to be finalized, in whatever order they go.
        sqlite3_close_v2(handle)
    }

    /// Settles how this connection waits, syncs and erases; `busyTimeout` is in milliseconds.
    func configure(busyTimeout: Int32) throws(StoreError) {
        patience.limit = .milliseconds(busyTimeout)
        try check(patience.govern(handle), .open)
        try check(relay_sqlite3_defend(handle), .open)
        // FULL: an answered /subscribe or DELETE outlives a power cut. Secure delete: what is deleted, such as a private
        // key, is overwritten. Trusted schema off: functions named in the schema of a prepared file do not run. Temporary
        // tables in memory: the relay may have no other place to write to, and nothing of a row is left anywhere else.
        try execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA secure_delete = ON;
            PRAGMA foreign_keys = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA temp_store = MEMORY;
            """,
            for: .open
        )
    }

    /// Turns on the write-ahead log, in which readers such as a backup and the relay do not lock each other out.
    func useWriteAheadLog() throws(StoreError) {
        // SQLite answers with the mode that holds and no error where it cannot grant the one asked for.
        let mode = try prepare("PRAGMA journal_mode = WAL", for: .open).first { $0.text(0) }
        guard mode == "wal" else { throw .noWriteAheadLog(mode: mode ?? "unknown") }
    }

    /// Whether the close of this connection, if it is the last one, moves the write-ahead log into the file.
    func foldLogOnClose(_ isWanted: Bool) throws(StoreError) {
        try check(relay_sqlite3_checkpoint_on_close(handle, isWanted ? 1 : 0), .open)
    }

    /// Looks for damage in the structure of the file; it reads all of it.
    func checkStructure() throws(StoreError) {
        guard let message = try damage() else { return }
        throw .corrupt(StoreError.Cause(operation: .open, code: SQLITE_CORRUPT, message: message))
    }

    /// The first damage in the structure of the file, in SQLite's words; it reads all of it.
    func damage() throws(StoreError) -> String? {
        let finding = try prepare("PRAGMA quick_check(1)", for: .check).first { $0.text(0) }
        if finding == "ok" { return nil }
        soundness.isInDoubt = true
        return finding?.split(separator: "\n").joined(separator: " ") ?? "no answer"
    }

    /// How many subscriptions there are, in a file of any age.
    func countRows() throws(StoreError) -> Int {
        try prepare("SELECT count(*) FROM subscriptions", for: .check).first { Int($0.integer(0)) } ?? 0
    }

    /// Compiles the first statement in `sql`; `operation` names it in errors.
    func prepare(_ sql: String, for operation: StoreError.Operation) throws(StoreError) -> Statement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else {
            throw soundness.considering(StoreError(operation, code: code, on: handle))
        }
        return Statement(statement, for: operation, soundness)
    }

    /// Runs every statement in `sql` and drops the rows they answer.
    func execute(_ sql: String, for operation: StoreError.Operation) throws(StoreError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), operation)
        if operation == .migrate { failpoint(.midMigration) }
    }

    /// Runs `body` so that all of its writes last or none does.
    func transaction<Result>(
        for operation: StoreError.Operation,
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        // IMMEDIATE takes the write lock before anything is read. A transaction that reads first may find at its first
        // write that its snapshot is stale, an SQLITE_BUSY_SNAPSHOT that no busy timeout waits out.
        try execute("BEGIN IMMEDIATE", for: operation)
        do throws(StoreError) {
            let result = try body()
            try execute("COMMIT", for: operation)
            patience.lockIsGone()
            return result
        } catch {
            // SQLite has rolled back by itself on some errors, a full disk among them; only then does this one fail.
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    /// The number of rows the last INSERT, UPDATE or DELETE touched.
    var changes: Int64 { sqlite3_changes64(handle) }

    /// Moves the write-ahead log into the file and cuts it to nothing.
    func checkpoint(for operation: StoreError.Operation) throws(StoreError) {
        try check(sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil), operation)
    }

    private func check(_ code: Int32, _ operation: StoreError.Operation) throws(StoreError) {
        guard code == SQLITE_OK else { throw soundness.considering(StoreError(operation, code: code, on: handle)) }
    }
}
