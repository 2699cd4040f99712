package import Store
import Synchronization

/// How many messages a subscription may get: a burst, and one more after each time that refills one.
///
/// A bucket exists only for a subscription that exists, since the handler asks after it has found the row; and a bucket
/// that has filled up again says nothing and is dropped in time.
package final class RateLimiter: Sendable {
    private struct State {
        var buckets: [SubscriptionID: TokenBucket] = [:]
        /// At this many buckets the full ones are looked for; then at twice as many as are left.
        var sweepAt = 1_024
    }

    private let burst: Int
    private let refill: Duration
    private let uptime: @Sendable () -> Duration
    private let state = Mutex(State())

    package init(burst: Int = 20, refill: Duration = .seconds(2), uptime: @escaping @Sendable () -> Duration) {
        self.burst = burst
        self.refill = refill
        self.uptime = uptime
    }

    /// The same as `admit` without taking anything.
    package func wait(for id: SubscriptionID) -> RetryAfter? {
        state.withLock { $0.buckets[id]?.wait(at: uptime()) }
    }

    /// Takes one from the bucket of `id`, or says after how long there will be one: whole seconds, 1 or more.
    package func admit(_ id: SubscriptionID) -> RetryAfter? {
        state.withLock { state in
            let now = uptime()
            var bucket = state.buckets[id] ?? TokenBucket(burst: burst, refill: refill, at: now)
            let wait = bucket.take(at: now)
            state.buckets[id] = bucket
            if state.buckets.count >= state.sweepAt { sweep(&state, at: now) }
            return wait
        }
    }

    /// Drops the bucket of a subscription that is gone.
    package func forget(_ id: SubscriptionID) {
        state.withLock { _ = $0.buckets.removeValue(forKey: id) }
    }

    /// How many buckets there are.
    var bucketCount: Int { state.withLock(\.buckets.count) }

    private func sweep(_ state: inout State, at now: Duration) {
        state.buckets = state.buckets.filter { !$0.value.isFull(at: now) }
        state.sweepAt = max(1_024, 2 * state.buckets.count)
    }
}

/// A number of seconds for a `Retry-After` field (RFC 9110, section 10.2.3), at least 1.
package struct RetryAfter: Sendable, Equatable {
    package let seconds: Int

    package init(seconds: Int) {
        self.seconds = max(1, seconds)
    }

    /// Rounds up: a sender that comes a moment too early would only be refused again.
    package init(rounding duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(seconds: Int(clamping: seconds) + (attoseconds > 0 ? 1 : 0))
    }
}
