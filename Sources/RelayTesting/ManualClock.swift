import Synchronization

/// A clock that stands still until a test turns it; wall time and uptime can be turned apart.
package final class ManualClock: Sendable {
    private struct State {
        var now: Int64
        var uptime: Duration
    }

    private let state: Mutex<State>

    /// - Parameter now: seconds since 1970.
    package init(now: Int64) {
        state = Mutex(State(now: now, uptime: .seconds(1_000)))
    }

    /// Seconds since 1970.
    package var now: Int64 { state.withLock(\.now) }

    package var uptime: Duration { state.withLock(\.uptime) }

    /// Lets time pass on both clocks.
    package func advance(by seconds: Int64) {
        state.withLock { state in
            state.now += seconds
            state.uptime += .seconds(seconds)
        }
    }

    /// Sets the wall clock as an operator would; no time passes.
    package func set(now: Int64) {
        state.withLock { $0.now = now }
    }
}
