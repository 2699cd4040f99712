/// One instant on both clocks: deadlines follow the one that nobody can set, answers tell the other.
struct Moment: Sendable {
    let instant: ContinuousClock.Instant

    /// The wall clock as an IMF-fixdate.
    let date: String
}
