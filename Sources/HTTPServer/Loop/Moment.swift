/// One instant on both clocks: deadlines follow the one that nobody can set, answers tell the other.
struct Moment: Sendable {
    let instant: ContinuousClock.Instant

    /// The wall clock as an IMF-fixdate.
    let date: String
}

/// The first of two instants that may not be set.
func sooner(_ one: ContinuousClock.Instant?, _ other: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
}
