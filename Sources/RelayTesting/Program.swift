import Foundation
import Glibc
import Synchronization

/// A program that a test or the simulated Apple runs as: its input, and the lines of its output as they come.
package final class Program: Sendable {
    private struct State {
        var standardOutput: [String] = []
        var standardError: [String] = []
        var openStreams = 2
        var waiters: [Waiter] = []

        var hasEnded: Bool { openStreams == 0 }
    }

    private struct Waiter {
        let isOver: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private let state = Mutex(State())
    private let process: Mutex<Process>
    private let input: FileHandle
    package let identifier: Int32

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - environment: the whole of it; nothing is inherited unless it is nil.
    package init(_ path: String, _ arguments: [String], environment: [String: String]? = nil) throws {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        if let environment { process.environment = environment }
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        self.input = input.fileHandleForWriting
        identifier = process.processIdentifier
        self.process = Mutex(process)
        follow(output) { $0.standardOutput.append($1) }
        follow(errors) { $0.standardError.append($1) }
    }

    deinit {
        let process = process.withLock { $0 }
        if process.isRunning { kill(identifier, SIGKILL) }
    }

    /// Reads a stream to its end on a thread of its own.
    private func follow(_ pipe: Pipe, take: @escaping @Sendable (inout State, String) -> Void) {
        // The pipe's own handle closes with the pipe, which nobody holds once the program runs.
        let descriptor = dup(pipe.fileHandleForReading.fileDescriptor)
        Thread.detachNewThread { [weak self] in
            Self.readLines(of: descriptor) { line in self?.update { take(&$0, line) } }
            self?.update { $0.openStreams -= 1 }
        }
    }

    private static func readLines(of descriptor: Int32, _ take: (String) -> Void) {
        guard let stream = fdopen(descriptor, "r") else { return }
        defer { fclose(stream) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, stream) > 0, let line {
            take(String(cString: line).trimmingCharacters(in: .newlines))
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let over = state.withLock { state in
            change(&state)
            let waiters = state.waiters
            state.waiters = waiters.filter { !$0.isOver(state) }
            return waiters.filter { $0.isOver(state) }
        }
        for waiter in over { waiter.continuation.resume() }
    }

    private func waitForState(_ isOver: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isOverAlready = state.withLock { state in
                if isOver(state) { return true }
                state.waiters.append(Waiter(isOver: isOver, continuation: continuation))
                return false
            }
            if isOverAlready { continuation.resume() }
        }
    }
}

extension Program {
    /// The lines of standard output so far.
    package var lines: [String] { state.withLock(\.standardOutput) }

    /// The lines of standard error so far.
    package var errors: [String] { state.withLock(\.standardError) }

    /// The first line of standard output that matches, when it comes; nil when the program ends without one.
    package func line(where matches: @escaping @Sendable (String) -> Bool) async -> String? {
        await wait { $0.contains(where: matches) }
        return lines.first(where: matches)
    }

    /// Waits until the lines of standard output are as they should be, or the program ends.
    package func wait(until isOver: @escaping @Sendable ([String]) -> Bool) async {
        await waitForState { $0.hasEnded || isOver($0.standardOutput) }
    }

    /// Writes a line to standard input.
    package func say(_ line: String) throws {
        try input.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Sends a signal.
    package func signal(_ signal: Int32) {
        kill(identifier, signal)
    }

    /// Waits for the end: the exit code, or 128 and the number of the signal that ended it.
    package func end() async -> Int32 {
        await waitForState(\.hasEnded)
        let process = process.withLock { $0 }
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
    }
}
