import Foundation
import Glibc
import Synchronization

/// A program that a test or the simulated Apple runs as: its input, and the lines of its output as they come.
package final class Program: Sendable {
    private struct Resumption: Sendable {
        let continuation: CheckedContinuation<String?, Never>
        let line: String?
    }

    private struct State {
        var standardOutput: [String] = []
        var standardError: [String] = []
        var openStreams = 2
        var waiters: [Waiter] = []
        var waitersSoFar = 0

        var hasEnded: Bool { openStreams == 0 }

        mutating func take(_ line: String) -> [Resumption] {
            standardOutput.append(line)
            var over: [Resumption] = []
            waiters.removeAll { waiter in
                guard let matches = waiter.matches, matches(line) else { return false }
                over.append(Resumption(continuation: waiter.continuation, line: line))
                return true
            }
            return over
        }

        /// Lets one go without what it waits for, if it still does.
        mutating func giveUp(_ number: Int, after time: Duration) -> [Resumption] {
            guard let index = waiters.firstIndex(where: { $0.number == number }) else { return [] }
            standardError.append("(nothing of what was waited for came within \(time))")
            return [Resumption(continuation: waiters.remove(at: index).continuation, line: nil)]
        }

        mutating func endStream() -> [Resumption] {
            openStreams -= 1
            guard hasEnded else { return [] }
            defer { waiters = [] }
            return waiters.map { Resumption(continuation: $0.continuation, line: nil) }
        }
    }

    /// Somebody who waits for a line, or with nil for the end.
    private struct Waiter {
        let number: Int
        let matches: (@Sendable (String) -> Bool)?
        let continuation: CheckedContinuation<String?, Never>
    }

    /// Not an expectation: only keeps a program that is broken from hanging the suite for ever.
    private static let patience = Duration.seconds(120)

    private let state = Mutex(State())
    private let child: Child
    private let input: FileHandle
    private let gate = ReadingGate()

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - environment: the whole of it; nothing is inherited unless it is nil.
    package init(_ path: String, _ arguments: [String], environment: [String: String]? = nil) throws {
        child = try Child(
            path,
            arguments,
            environment: environment ?? ProcessInfo.processInfo.environment
        )
        input = FileHandle(fileDescriptor: child.input, closeOnDealloc: true)
        follow(child.output) { $0.take($1) }
        follow(child.errors) {
            $0.standardError.append($1)
            return []
        }
    }

    deinit {
        gate.open()
        child.signal(SIGKILL)
        _ = child.wait()
    }

    /// The number of the process.
    package var identifier: Int32 { child.identifier }

    /// Reads a stream to its end on a thread of its own.
    private func follow(_ descriptor: Int32, take: @escaping @Sendable (inout State, String) -> [Resumption]) {
        Thread.detachNewThread { [weak self, gate] in
            Self.readLines(of: descriptor) { line in
                self?.update { take(&$0, line) }
                gate.pass()
            }
            self?.update { $0.endStream() }
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

    private func update(_ change: (inout State) -> [Resumption]) {
        for resumption in state.withLock({ change(&$0) }) { resumption.continuation.resume(returning: resumption.line) }
    }
}

extension Program {
    /// The lines of standard output so far.
    package var lines: [String] { state.withLock(\.standardOutput) }

    /// The lines of standard error so far.
    package var errors: [String] { state.withLock(\.standardError) }

    /// The first line of standard output, from the one with this index on, that matches, when it comes.
    ///
    /// Nil when the program ends without one, or says none for two minutes. A line is looked at once, so that a program
    /// that says much is kept up with.
    package func line(from index: Int = 0, where matches: @escaping @Sendable (String) -> Bool) async -> String? {
        await wait(Self.found(from: index, matches), matches)
    }

    private static func found(
        from index: Int,
        _ matches: @escaping @Sendable (String) -> Bool
    ) -> @Sendable (State) -> String? {
        { $0.standardOutput.dropFirst(index).first(where: matches) }
    }

    private func wait(
        _ found: @escaping @Sendable (State) -> String?,
        _ matches: (@Sendable (String) -> Bool)?
    ) async -> String? {
        let number = state.withLock { state in
            state.waitersSoFar += 1
            return state.waitersSoFar
        }
        let limit = Task {
            guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
            update { $0.giveUp(number, after: Self.patience) }
        }
        defer { limit.cancel() }
        return await withCheckedContinuation { continuation in
            update { state in
                let line = found(state)
                guard line == nil, !state.hasEnded else { return [Resumption(continuation: continuation, line: line)] }
                state.waiters.append(Waiter(number: number, matches: matches, continuation: continuation))
                return []
            }
        }
    }

    /// Reads nothing more of its output than the next line, so that it fills the pipe.
    package func stopReading() { gate.close() }

    /// Reads on where ``stopReading()`` stopped.
    package func readOn() { gate.open() }

    /// Writes a line to standard input.
    package func say(_ line: String) throws {
        try input.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Sends a signal.
    package func signal(_ signal: Int32) {
        child.signal(signal)
    }

    /// Whether the process is gone, though its output may not have been read.
    package var hasEnded: Bool { child.hasEnded }

    /// Waits on this thread for the end of a program that says little; its exit code.
    package func endNow() -> Int32 {
        child.wait()
    }

    /// Waits for the end: the exit code, or 128 and the number of the signal that ended it.
    ///
    /// It is -1 when the program does not end within two minutes, or another keeps its output open; then it is killed.
    package func end() async -> Int32 {
        _ = await wait({ _ in nil }, nil)
        guard state.withLock(\.hasEnded) else {
            signal(SIGKILL)
            return -1
        }
        let child = child
        return (try? await onThread { child.wait() }) ?? -1
    }
}

/// Keeps the threads that read a program's output from reading on.
private final class ReadingGate: Sendable {
    private let condition = NSCondition()
    private let isClosed = Mutex(false)

    func close() { isClosed.withLock { $0 = true } }

    func open() {
        condition.lock()
        isClosed.withLock { $0 = false }
        condition.broadcast()
        condition.unlock()
    }

    func pass() {
        condition.lock()
        while isClosed.withLock({ $0 }) { condition.wait() }
        condition.unlock()
    }
}
