import Dispatch
import Synchronization
package import Threads

/// Takes the log's lines from any thread without keeping it, and writes them from a thread of its own.
///
/// Standard output may be a pipe that nobody reads: whoever writes to it waits, for ever if need be. So what is written
/// waits here, up to a limit, and beyond it lines are lost rather than pushes; how many is said as soon as it can be.
package final class LogWriter: Sendable {
    /// What may wait: more than minutes of a busy relay, and nothing that a small machine would miss.
    private static let most = (lines: 4_096, octets: 1_048_576)

    private struct Line {
        let text: String
        /// How many it says are lost, which are not told if it is lost too; nil for a line that somebody said.
        let losses: Int?
    }

    private struct State {
        var waiting: [Line] = []
        /// Of the lines that wait, and of those that are being written.
        var held = (lines: 0, octets: 0)
        /// Of which no line has told yet.
        var lost = 0
        /// Since the start.
        var lostInAll = 0
        var flushing: [DispatchSemaphore] = []

        func hasRoom(for text: String) -> Bool {
            held.lines < most.lines && held.octets + text.utf8.count <= most.octets
        }

        mutating func lose(_ lines: Int) {
            lost += lines
            lostInAll += lines
        }

        mutating func add(_ line: Line) {
            waiting.append(line)
            held.lines += 1
            held.octets += line.text.utf8.count
        }
    }

    private let descriptor: Int32
    private let lostLine: @Sendable (Int) -> String
    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)
    /// Signalled when somebody waits for what is said to be written.
    private let hurry = DispatchSemaphore(value: 0)

    private let patience: DispatchTimeInterval

    /// Starts the thread, which lives as long as the process.
    ///
    /// - Parameters:
    ///   - patience: lines that come within this time are written together, since waking and writing cost more than a line.
    ///   - lostLine: the whole line that says how many were lost.
    package init(
        to descriptor: Int32,
        patience: Duration = .milliseconds(10),
        lostLine: @escaping @Sendable (Int) -> String
    ) throws(ThreadFailure) {
        self.descriptor = descriptor
        self.patience = Self.interval(patience)
        self.lostLine = lostLine
        try startThread { self.run() }
    }

    /// Has a line written, or counts it as lost; it never waits for the one who reads.
    package func write(_ line: String) {
        let isFirst = state.withLock { state in
            let hasRoom = state.hasRoom(for: line)
            // Of lines that are lost the first one: all of them are told of at once.
            let isFirst = state.waiting.isEmpty && (hasRoom || state.lost == 0)
            if hasRoom {
                sayLost(&state)
                state.add(Line(text: line, losses: nil))
            } else {
                state.lose(1)
            }
            return isFirst
        }
        // Who takes the first takes those behind it.
        if isFirst { wakeUp.signal() }
    }

    /// How many lines were lost since the start.
    package var linesLost: Int { state.withLock(\.lostInAll) }

    /// Waits until everything that was said before is written, but no longer than `time`; whether it is.
    ///
    /// It blocks its caller, so it is for the end of the process.
    @discardableResult
    package func flush(within time: Duration) -> Bool {
        let done = DispatchSemaphore(value: 0)
        state.withLock { $0.flushing.append(done) }
        wakeUp.signal()
        hurry.signal()
        return done.wait(timeout: .now() + Self.interval(time)) == .success
    }

    private static func interval(_ time: Duration) -> DispatchTimeInterval {
        .milliseconds(Int(time / .milliseconds(1)))
    }

    /// Puts what was lost where it was lost: behind the lines before it, in front of those after it.
    private func sayLost(_ state: inout State) {
        guard state.lost > 0 else { return }
        state.add(Line(text: lostLine(state.lost), losses: state.lost))
        state.lost = 0
    }

    /// The thread's life.
    private func run() {
        var output = LineOutput(descriptor: descriptor)
        while true {
            wakeUp.wait()
            _ = hurry.wait(timeout: .now() + patience)
            let (lines, flushing) = state.withLock { state in
                sayLost(&state)
                defer { (state.waiting, state.flushing) = ([], []) }
                return (state.waiting, state.flushing)
            }
            let lost = output.write(lines.map(\.text)).map { lines[$0] }
            state.withLock { state in
                state.held.lines -= lines.count
                state.held.octets -= lines.reduce(0) { $0 + $1.text.utf8.count }
                state.lose(lost.count { $0.losses == nil })
                state.lost += lost.reduce(0) { $0 + ($1.losses ?? 0) }
            }
            for done in flushing { done.signal() }
        }
    }
}
