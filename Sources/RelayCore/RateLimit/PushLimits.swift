import Store

/// How much a subscription may get: of messages, and, counted apart, of bodies that are none.
///
/// Somebody who only has the URL cannot make a message. What they send has a limit of its own, so that it does not use up
/// the sender's.
package struct PushLimits: Sendable {
    let messages: RateLimiter
    let strays: RateLimiter

    /// - Parameter atOnce: how many of each kind are taken at once, and again spread over each 40 s.
    package init(atOnce: Int = 20, uptime: @escaping @Sendable () -> Duration) {
        let refill = Duration.seconds(40) / max(1, atOnce)
        self.init(
            messages: RateLimiter(burst: atOnce, refill: refill, uptime: uptime),
            strays: RateLimiter(burst: atOnce, refill: refill, uptime: uptime)
        )
    }

    init(messages: RateLimiter, strays: RateLimiter) {
        self.messages = messages
        self.strays = strays
    }

    /// Drops the buckets of a subscription that is gone.
    func forget(_ id: SubscriptionID) {
        messages.forget(id)
        strays.forget(id)
    }
}
