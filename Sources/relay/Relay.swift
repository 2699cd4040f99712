import Glibc
import RelayCore

/// The program: what the arguments ask for, and the exit code that it ends with.
@main
struct Relay {
    static func main() {
        prepareProcess()
        switch Arguments.parse(CommandLine.argumentsBehindName) {
        case .failure(let error): end(.usage, "relay: \(error)\nTry `relay --help`.")
        case .success(.help): print(usage)
        case .success(.version): print("relay \(relayVersion)")
        case .success(.serve(let environmentFile)):
            run { () throws(StartError) in try Serve(environmentFile: environmentFile).run() }
        case .success(.rotateKey(let environmentFile)):
            run { () throws(StartError) in print(try rotateKey(environmentFile: environmentFile)) }
        }
    }

    private static func run(_ command: () throws(StartError) -> Void) {
        do {
            try command()
        } catch {
            let lines = error.lines.map { "relay: \($0)" }.joined(separator: "\n")
            end(error.exitCode, lines)
        }
    }

    /// Says the last words on standard error and ends the process.
    private static func end(_ code: ExitCode, _ text: String) -> Never {
        write(text + "\n", to: STDERR_FILENO)
        exit(code.rawValue)
    }
}

/// Exit codes, after sysexits.h.
enum ExitCode: Int32 {
    case failure = 1
    case usage = 64
    case configuration = 78
}
