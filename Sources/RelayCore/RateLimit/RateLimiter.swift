package import Store
import Synchronization

/// How many messages a subscription may get: a burst of 20, and one more every two seconds.
///
/// A bucket exists only for a subscription that exists, since the handler asks after it has found the row; and a bucket
/// that has filled up again says nothing and is dropped in time.
package final class RateLimiter: Sendable {
    private struct Bucket {
        var tokens: Double
        var filledAt: Duration
    }

    private let burst: Double
    private let refill: Duration
    private let uptime: @Sendable () -> Duration
    private let buckets = Mutex<[SubscriptionID: Bucket]>([:])

    /// Full buckets are looked for whenever this many have gathered.
    private static let sweepEvery = 1_024

    package init(burst: Int = 20, refill: Duration = .seconds(2), uptime: @escaping @Sendable () -> Duration) {
        self.burst = Double(burst)
        self.refill = refill
        self.uptime = uptime
    }

    /// Takes one from the bucket of `id`, or says after how long there will be one: whole seconds, 1 or more.
    package func admit(_ id: SubscriptionID) -> RetryAfter? {
        buckets.withLock { buckets in
            let now = uptime()
            var bucket = buckets[id] ?? Bucket(tokens: burst, filledAt: now)
            bucket.tokens = min(burst, bucket.tokens + (now - bucket.filledAt) / refill)
            bucket.filledAt = now
            defer { buckets[id] = bucket }
            guard bucket.tokens < 1 else {
                bucket.tokens -= 1
                if buckets.count.isMultiple(of: Self.sweepEvery) { sweep(&buckets, at: now) }
                return nil
            }
            return RetryAfter(rounding: refill * (1 - bucket.tokens))
        }
    }

    /// Drops the bucket of a subscription that is gone.
    package func forget(_ id: SubscriptionID) {
        buckets.withLock { _ = $0.removeValue(forKey: id) }
    }

    private func sweep(_ buckets: inout [SubscriptionID: Bucket], at now: Duration) {
        buckets = buckets.filter { $0.value.tokens + (now - $0.value.filledAt) / refill < burst }
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
