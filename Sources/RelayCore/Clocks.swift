import Glibc

/// The two clocks of the relay, passed in so that a test can turn them.
package struct Clocks: Sendable {
    /// Seconds since 1970: what Apple, a row and an expiration are dated by; an operator may set it.
    package let now: @Sendable () -> Int64
    /// The time since the machine started, which nobody sets: what limits and durations are measured by.
    package let uptime: @Sendable () -> Duration

    package init(now: @escaping @Sendable () -> Int64, uptime: @escaping @Sendable () -> Duration) {
        self.now = now
        self.uptime = uptime
    }

    package static let system = Clocks(
        now: { Int64(time(nil)) },
        uptime: {
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
    )
}
