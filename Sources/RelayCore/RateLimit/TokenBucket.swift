/// Tokens that come back at an even pace, up to a burst; it reads no clock.
struct TokenBucket {
    let burst: Double
    /// The time in which one token comes back.
    let refill: Duration
    private var tokens: Double
    private var filledAt: Duration

    /// A full one; `now` and every later instant are of one clock that nobody sets.
    init(burst: Int, refill: Duration, at now: Duration) {
        self.burst = Double(burst)
        self.refill = refill
        tokens = Double(burst)
        filledAt = now
    }

    /// Takes one, or says after how long there will be one.
    mutating func take(at now: Duration) -> RetryAfter? {
        tokens = tokens(at: now)
        filledAt = now
        let wait = wait(at: now)
        if wait == nil { tokens -= 1 }
        return wait
    }

    /// Puts one back that was taken for nothing.
    mutating func giveBack() {
        tokens = min(burst, tokens + 1)
    }

    /// After how long there will be one; nil when there is one now.
    func wait(at now: Duration) -> RetryAfter? {
        let tokens = tokens(at: now)
        return tokens < 1 ? RetryAfter(rounding: refill * (1 - tokens)) : nil
    }

    /// Whether it says nothing that a new one would not say.
    func isFull(at now: Duration) -> Bool { tokens(at: now) >= burst }

    private func tokens(at now: Duration) -> Double {
        min(burst, tokens + (now - filledAt) / refill)
    }
}
