import HTTPServer
import RelayCore
import Store

/// Why the relay did not start, in lines for the operator that each end in a remedy.
enum StartError: Error {
    case environmentFile(String)
    case configuration(Problems)
    case store(StoreError, path: String)
    case server(ServerError)

    var lines: [String] {
        switch self {
        case .environmentFile(let text): [text]
        case .configuration(let problems): problems.all.map(\.description)
        case .store(let error, let path): ["DB_PATH \(path): \(error)"]
        case .server(let error): ["LISTEN_ADDR: \(error)"]
        }
    }

    var exitCode: ExitCode {
        switch self {
        case .environmentFile, .configuration: .configuration
        case .store, .server: .failure
        }
    }
}
