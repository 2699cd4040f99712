import Foundation
import RelayTesting

/// What strace writes of a relay's threads: its calls of the kernel, in the order in which they came to their end.
struct SystemCalls {
    /// One call; `began` and `ended` are lines of the trace, and so are in the order of the moments.
    struct Call {
        let name: String
        /// The file behind the first descriptor, or the socket's addresses.
        let file: String
        let descriptor: String
        /// Everything behind the descriptor, the result included.
        let rest: String
        let began: Int
        let ended: Int

        /// What the call gave back; nil when it gave back no number.
        var result: Int? {
            rest.split(separator: "=").last.flatMap { Int($0.split(separator: " ").first ?? "") }
        }
    }

    let calls: [Call]

    /// How to start a program so that what it does is written to `file`, and how strace is to meddle with it.
    ///
    /// With -D the program stays the child of who starts it, and strace is the one that is started beside it: signals and
    /// exit codes are the program's own. It needs no rights that its user does not have.
    static func launcher(_ file: String, tracing names: String, _ options: [String] = []) -> [String] {
        // Not with --seccomp-bpf, however much faster: then it misses calls that it is to inject a signal into.
        ["/usr/bin/strace", "-D", "-f", "-y", "-s", "64", "-o", file, "-e", "trace=\(names)"] + options
    }

    /// How to start a program that dies when one of its threads makes a call on one of these files for the n-th time.
    ///
    /// The kernel is not asked any more for what that call would have done.
    static func killer(_ name: String, number: Int, of files: [String]) -> [String] {
        let injection = ["-e", "inject=\(name):signal=SIGKILL:when=\(number)"]
        return launcher("/dev/null", tracing: name, injection + files.flatMap { ["-P", $0] })
    }

    /// Reads a trace.
    init(contentsOf file: String) throws {
        // thread, name, descriptor, what it stands for, the rest
        let whole = /(\d+) +([a-z0-9_]+)\((\d+)<(.*?)>(?:\((?:deleted)\))?(.*)/
        let resumed = /(\d+) +<\.\.\. ([a-z0-9_]+) resumed>(.*)/
        let cut = " <unfinished ...>"
        var begun: [Substring: (line: Int, text: Substring)] = [:]
        var calls: [Call] = []
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for (number, line) in text.split(separator: "\n").enumerated() {
            var (began, line) = (number, String(line))
            if let match = line.wholeMatch(of: resumed), let start = begun.removeValue(forKey: match.1) {
                began = start.line
                line = String(start.text + match.3)
            }
            guard let match = line.wholeMatch(of: whole) else { continue }
            if line.hasSuffix(cut) {
                begun[Substring(match.1)] = (number, Substring(line.dropLast(cut.count)))
                continue
            }
            calls.append(
                Call(
                    name: String(match.2),
                    file: String(match.4),
                    descriptor: String(match.3),
                    rest: String(match.5),
                    began: began,
                    ended: number
                )
            )
        }
        self.calls = calls
    }
}
