import Glibc
import HTTPServer
import RelayCore
import Store

/// Why the relay did not start, in lines for the operator that each end in a remedy.
enum StartError: Error {
    case environmentFile(String)
    case configuration(Problems)
    case store(StoreError, StoreFiles)
    case server(ServerError)
    case metrics(ServerError)
    /// The socket of the operator's commands.
    case control(ServerError)
    /// A thread that the relay cannot be without; the errno of making it.
    case thread(code: Int32)
    case noCertificates(path: String)
    /// A command that was not done; a sentence that ends in a remedy.
    case command(String)
    /// A backup that did not take the database's place.
    case restore(StoreError, StoreFiles)

    var lines: [String] {
        switch self {
        case .environmentFile(let text): [text]
        case .configuration(let problems): problems.all.map(\.description)
        case .store(let error, let files):
            switch error {
            case .missingSecretKey, .wrongSecretKey, .malformedSecretKey:
                ["RELAY_SECRET_KEY_FILE \(files.secretKey): \(error)"]
            case .file(_, files.secretKey, _): ["RELAY_SECRET_KEY_FILE: \(error)"]
            case .exists, .unusableBackup: ["\(error)"]
            case .notBackedUp: ["BACKUP_DIR: \(error)"]
            case .busy, .full, .readOnly, .corrupt, .notADatabase, .cannotOpen, .inputOutput, .constraint, .other,
                .noWriteAheadLog, .unconvertible, .empty, .notAFile, .lost, .foreign, .newer, .staleLog, .inUse,
                .backupsInUse, .moved, .unsealable, .cryptography, .file, .tooManySubscriptions, .noThread, .closed:
                ["DB_PATH \(files.database): \(error)"]
            }
        case .control(let error): ["DB_PATH: \(error)"]
        case .metrics(let error): ["METRICS_ADDR: \(error)"]
        case .command(let text): [text]
        case .restore(let error, let files):
            switch error {
            case .inUse: ["DB_PATH \(files.database): stop the relay first, nothing has changed"]
            default: ["\(error)"]
            }
        case .server(let error): ["LISTEN_ADDR: \(error)"]
        case .thread(let code):
            ["cannot start a thread: \(String(cString: strerror(code))): raise TasksMax or the limit of processes"]
        case .noCertificates(let path):
            ["there are no certificate authorities in \(path): install the package ca-certificates"]
        }
    }

    var exitCode: ExitCode {
        switch self {
        case .environmentFile, .configuration: .configuration
        case .store, .restore, .server, .metrics, .control, .thread, .noCertificates, .command: .failure
        }
    }
}
