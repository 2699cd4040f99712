import Synchronization

/// How much may be registered, by everybody together: the token is inside the app, so anybody may have it.
package final class RegistrationLimits: Sendable {
    /// Rows in total; see ``Store/register(_:most:)``.
    let subscriptions: Int
    private let uptime: @Sendable () -> Duration
    private let bucket: Mutex<TokenBucket>

    /// - Parameter perHour: how many are taken at once, and as many again spread over each hour.
    package init(subscriptions: Int, perHour: Int, uptime: @escaping @Sendable () -> Duration) {
        self.subscriptions = subscriptions
        self.uptime = uptime
        bucket = Mutex(TokenBucket(burst: perHour, refill: .seconds(3_600) / perHour, at: uptime()))
    }

    /// Counts a registration, or says after how long there is room for it.
    func admit() -> RetryAfter? {
        bucket.withLock { $0.take(at: uptime()) }
    }

    /// Forgets one that was counted and not taken: who comes again after a fault is not refused for it.
    func giveBack() {
        bucket.withLock { $0.giveBack() }
    }
}
