/// When the next connection may be tried after ones over which nothing was accepted: 1, 2, 4 up to 60 seconds later.
struct Backoff {
    private var failures = 0

    /// Takes note of how the last connection ended, and gives the time to wait before the next.
    ///
    /// - Parameter random: 0 up to 1; it spreads the wait by a fifth either way, so that many relays do not come at once.
    mutating func wait(afterSuccess hasSucceeded: Bool, random: Double) -> Duration {
        guard !hasSucceeded else {
            failures = 0
            return .zero
        }
        failures = min(failures + 1, 7)
        let seconds = min(60, Double(1 << (failures - 1)))
        return .seconds(seconds * (0.8 + 0.4 * random))
    }
}
