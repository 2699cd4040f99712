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
        case .success(.run(let arguments)): run { () throws(StartError) in try run(arguments) }
        }
    }

    private static func run(_ arguments: Arguments) throws(StartError) {
        switch arguments.command {
        case .serve: try Serve(environmentFile: arguments.environmentFile).run()
        case .check: say(try check(arguments))
        case .subscriptions: print(try listSubscriptions(arguments))
        case .send: say(try sendTest(arguments))
        case .remove: print(try removeSubscription(arguments))
        case .backup: print(try backUp(arguments))
        case .restore: print(try restore(arguments))
        case .rotateKey: print(try rotateKey(environmentFile: arguments.environmentFile))
        case .healthcheck: say(try healthCheck(environmentFile: arguments.environmentFile))
        case .completion: print(try completion(arguments))
        }
    }

    /// Prints what a command found out, and ends with 1 where it is not good.
    private static func say(_ result: (text: String, isOK: Bool)) {
        print(result.text)
        if !result.isOK { exit(ExitCode.failure.rawValue) }
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
