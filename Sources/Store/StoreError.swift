import CSQLite
import Crypto
import Glibc

/// Why the database did not do what it was asked; whatever was being written is rolled back.
///
/// The cases are what an operator can act on differently. None of them says anything about a subscription: a row that
/// is missing is `nil`, never an error, so no failure here may be answered with 404.
package enum StoreError: Error, Equatable {
    /// Another process held the lock for longer than the busy timeout.
    case busy(Cause)
    /// The disk, or a limit on the file, is full.
    case full(Cause)
    /// The file, its directory or its file system does not take writes.
    case readOnly(Cause)
    /// The file's structure is damaged.
    case corrupt(Cause)
    /// The file is something else, or encrypted; it was left as it was.
    case notADatabase
    /// The file can be neither opened nor created.
    case cannotOpen(Cause)
    /// The operating system failed to read or write.
    case inputOutput(Cause)
    /// The row is refused by the schema, such as an id that exists.
    case constraint(Cause)
    /// Any other result of SQLite.
    case other(Cause)
    /// The write-ahead log is not to be had; SQLite answered with `mode` instead.
    case noWriteAheadLog(mode: String)
    /// A row of an earlier release has no counterpart in the present schema; the file was left as it was.
    case unconvertible(column: String, rowid: Int64)
    /// The file has 0 octets, which SQLite would take for a database without rows.
    case empty(path: String)
    /// Where the file should be is a directory, or a device.
    case notAFile
    /// There is no file, and the lock beside it says that there was one.
    case lost(path: String)
    /// The file is an SQLite database of another program.
    case foreign
    /// The file is of a later release of the relay.
    case newer(version: Int64)
    /// The log beside the file was written for another one, of which rows would be laid over this one's.
    case staleLog(path: String)
    /// Another relay has the database.
    case inUse(path: String)
    /// Another relay makes its backups in the directory.
    case backupsInUse(path: String)
    /// The file, or its log, was removed or replaced while the relay had it open.
    case moved(path: String)
    /// Rows are sealed, and there is no file with the key.
    case missingSecretKey
    /// Rows are sealed with another key than the one in the file.
    case wrongSecretKey
    /// What is in the file is no key.
    case malformedSecretKey
    /// A sealed value is not what was written there.
    case unsealable(column: String, subscription: String)
    /// OpenSSL refused a call; its name.
    case cryptography(String)
    /// The operating system refused to do something with a file; its code.
    case file(action: String, path: String, code: Int32)
    /// There is something where a new file was to be, which is not overwritten.
    case exists(path: String)
    /// No backup was made there.
    indirect case notBackedUp(path: String, because: StoreError)
    /// The file cannot be restored; nothing was changed.
    case unusableBackup(path: String, BackupFlaw)
    /// There are as many subscriptions as there may be.
    case tooManySubscriptions(most: Int)
    /// There was no thread to be had; `code` is the errno of making one.
    case noThread(code: Int32)
    /// The store was closed before the call.
    case closed

    /// What SQLite said, and to which request.
    package struct Cause: Sendable, Equatable {
        /// What the store was doing.
        package let operation: Operation
        /// SQLite's extended result code.
        package let code: Int32
        /// SQLite's text, with the operating system's reason where there is one; it holds no values of a row.
        package let message: String
    }

    /// What the store was doing, worded to follow "cannot".
    package enum Operation: String, Sendable {
        case open = "open the database"
        case migrate = "bring the database up to date"
        case read = "read a subscription"
        case register = "register a subscription"
        case delete = "delete a subscription"
        case badge = "write a badge"
        case note = "write down what happened"
        case backUp = "write the copy"
        case restore = "restore the backup"
        case rotate = "rotate the secret key"
        case check = "check the database"
        case close = "close the database"
    }

    /// Runs cryptography that has no reason to fail.
    static func mapping<Value>(_ work: () throws(CryptoError) -> Value) throws(StoreError) -> Value {
        do throws(CryptoError) { return try work() } catch { throw .cryptography("\(error)") }
    }

    /// Classifies `code`, an extended result code other than OK, ROW and DONE; `database` is where it came from.
    init(_ operation: Operation, code: Int32, on database: OpaquePointer?) {
        var message = String(cString: sqlite3_errmsg(database) ?? sqlite3_errstr(code))
        let primary = code & 0xFF
        let reason = sqlite3_system_errno(database)
        if [SQLITE_CANTOPEN, SQLITE_IOERR].contains(primary), reason != 0, let text = strerror(reason) {
            message += " (\(String(cString: text)))"
        }
        let cause = Cause(operation: operation, code: code, message: message)
        switch primary {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: self = .busy(cause)
        case SQLITE_FULL: self = .full(cause)
        case SQLITE_READONLY: self = .readOnly(cause)
        case SQLITE_CORRUPT: self = .corrupt(cause)
        case SQLITE_NOTADB: self = .notADatabase
        case SQLITE_CANTOPEN, SQLITE_PERM: self = .cannotOpen(cause)
        case SQLITE_IOERR where reason == ENOSPC || reason == EDQUOT: self = .full(cause)
        case SQLITE_IOERR: self = .inputOutput(cause)
        case SQLITE_CONSTRAINT: self = .constraint(cause)
        default: self = .other(cause)
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// One lower-case line for the operator that ends in a remedy.
    package var description: String {
        switch self {
        case .busy(let cause): "\(cause): stop the other process that uses the file"
        case .full(let cause): "\(cause): make room on the disk"
        case .readOnly(let cause): "\(cause): let the relay's user write the file and its directory"
        case .corrupt(let cause): "\(cause): restore the latest backup with relay restore FILE"
        case .notADatabase:
            "the file is no database, or its beginning is damaged: let DB_PATH name the relay's database, or restore the "
                + "latest backup with relay restore FILE"
        case .cannotOpen(let cause): "\(cause): create the directory and let the relay's user write it"
        case .inputOutput(let cause): "\(cause): look for disk errors in the kernel's log"
        case .constraint(let cause): "\(cause): try again with a new id"
        case .other(let cause): "\(cause): look the code up at https://sqlite.org/rescode.html"
        case .noWriteAheadLog(let mode):
            "cannot open the database: its journal mode is \(mode), not wal: move DB_PATH to a file on a local disk"
        case .unconvertible(let column, let rowid):
            "cannot bring the database up to date: \(column) of row \(rowid) in subscriptions is unusable: "
                + "correct or delete that row with the sqlite3 command"
        case .empty(let path):
            "the file is empty: restore the latest backup with relay restore FILE; to begin without any subscription, remove "
                + "it, \(path)-wal and \(path).lock"
        case .notAFile: "this is no file: let DB_PATH name the relay's database or a new file"
        case .lost(let path):
            "the file is gone: is its disk mounted? restore the latest backup with relay restore FILE, also where a restore "
                + "was cut off; to begin without any subscription, remove \(path)-wal and \(path).lock"
        case .foreign: "the database is another program's: let DB_PATH name the relay's database or a new file"
        case .newer(let version):
            "the database is of a later release (version \(version)): install that release, or restore the backup "
                + "from before it"
        case .inUse(let path): "another relay has the database: stop that one first (it holds \(path))"
        case .backupsInUse(let path):
            "another relay has its backups in \(path), and the two would remove each other's: give each a BACKUP_DIR "
                + "of its own"
        case .moved(let path):
            "\(path) was removed or replaced while the relay runs: put the file back, or stop the relay, restore a backup "
                + "and start it"
        case .missingSecretKey: "there is no such file, and subscriptions are sealed with the key in it: restore it"
        case .wrongSecretKey:
            "subscriptions are sealed with another key than the one in this file: restore the one "
                + "that belongs to DB_PATH, and keep this one under another name"
        case .malformedSecretKey:
            "the file does not hold 64 hexadecimal digits: restore it from your copy, and do not overwrite it"
        case .unsealable(let column, let subscription):
            "cannot open \(column) of subscription \(subscription): the row is damaged: have its app register again; "
                + "if there are many, stop the relay and restore the latest backup with relay restore FILE"
        case .cryptography(let name): "OpenSSL failed at \(name): restart the relay"
        case .file(let action, let path, let code):
            "cannot \(action) \(path) (\(String(cString: strerror(code)))): \(Self.remedy(code))"
        case .staleLog(let path):
            "\(path) is the log of another file: after a restore, move it away; if both were copied from a relay that was "
                + "killed, remove the .lock"
        case .exists(let path): "\(path) exists and is not overwritten: choose another name"
        case .notBackedUp(let path, let error): "cannot back up to \(path): \(error)"
        case .unusableBackup(let path, let flaw): "cannot restore \(path): \(flaw)"
        case .tooManySubscriptions(let most):
            "cannot register a subscription: there are \(most), which is all that there may be: raise MAX_SUBSCRIPTIONS"
        case .noThread(let code):
            "cannot start the database's thread: \(String(cString: strerror(code))): raise TasksMax or the limit of "
                + "processes"
        case .closed: "cannot use the database: it is closed: start the relay again"
        }
    }
}

extension StoreError {
    /// What helps against an errno of the file system.
    private static func remedy(_ code: Int32) -> String {
        switch code {
        case ENOSPC, EDQUOT: "make room on the disk"
        case EROFS: "let the file lie where the relay may write, or mount that for writing"
        case EBUSY: "the file is mounted by itself: mount its directory instead"
        default: "let the relay's user read and write in that directory"
        }
    }
}

extension StoreError.Cause: CustomStringConvertible {
    /// What failed and how SQLite put it, without a remedy.
    package var description: String { "cannot \(operation.rawValue): \(message) (sqlite code \(code))" }
}
