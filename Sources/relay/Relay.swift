import Glibc
import RelayCore

/// The program: what the arguments ask for, and the exit code that it ends with.
@main
struct Relay {
    static func main() {
        prepareProcess()
        switch Arguments.parse(CommandLine.argumentsBehindName) {
        case .failure(let error): end(.usage, "relay: \(error)\nTry `relay --help`.")
        case .success(.help): output(usage)
        case .success(.version): output("relay \(relayVersion)")
        case .success(.run(let arguments)): run { () throws(StartError) in try run(arguments) }
        }
    }

    private static func run(_ arguments: Arguments) throws(StartError) {
        switch arguments.command {
        case .serve:
            try Serve(environmentFile: arguments.environmentFile).run()
            // Everything is closed and written. exit() would take down what libraries have made while a thread may still
            // be in one of them, such as one that looks at a certificate.
            _exit(0)
        case .check: say(try check(arguments))
        case .subscriptions: output(try listSubscriptions(arguments))
        case .send: say(try sendTest(arguments))
        case .remove: output(try removeSubscription(arguments))
        case .backup: output(try backUp(to: arguments.operand, environmentFile: arguments.environmentFile))
        case .restore: output(try restore(arguments))
        case .rotateKey: output(try rotateKey(environmentFile: arguments.environmentFile))
        case .healthcheck: say(try healthCheck(environmentFile: arguments.environmentFile))
        case .completion: output(try completion(arguments))
        }
    }

    /// Prints what a command found out, and ends with 1 where it is not good.
    private static func say(_ result: (text: String, isOK: Bool)) {
        output(result.text)
        if !result.isOK { exit(ExitCode.failure.rawValue) }
    }

    /// Prints a text, and ends with 1 where it cannot be written: a list that was cut is not to pass for a whole one.
    private static func output(_ text: String) {
        guard write(text + "\n", to: STDOUT_FILENO) else {
            end(
                .failure,
                "relay: cannot write to standard output: \(String(cString: strerror(errno))): make room for it"
            )
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
