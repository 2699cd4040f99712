/// What happened within one hour, or a part of it that is yet to be added.
package struct HourlyFigures: Sendable, Equatable {
    /// Which one: Unix seconds divided by 3,600.
    package var hour: Int64
    /// Pushes that Apple accepted.
    package var accepted: Int
    /// Pushes that were answered as accepted without asking Apple again.
    package var repeated: Int
    /// Pushes for subscriptions that are not there, or no longer.
    package var gone: Int
    /// Pushes that were refused for what is in them.
    package var refused: Int
    /// Pushes that came too fast.
    package var limited: Int
    /// Pushes that failed and may be tried again.
    package var failed: Int
    /// How many pushes the next two are about.
    package var latencyCount: Int
    /// The sum of the times from receipt to acceptance.
    package var latencyMilliseconds: Int
    /// The longest of these times in milliseconds.
    package var latencyMost: Int

    /// An hour in which nothing happened, unless said.
    package init(
        hour: Int64,
        accepted: Int = 0,
        repeated: Int = 0,
        gone: Int = 0,
        refused: Int = 0,
        limited: Int = 0,
        failed: Int = 0,
        latencyCount: Int = 0,
        latencyMilliseconds: Int = 0,
        latencyMost: Int = 0
    ) {
        self.hour = hour
        self.accepted = accepted
        self.repeated = repeated
        self.gone = gone
        self.refused = refused
        self.limited = limited
        self.failed = failed
        self.latencyCount = latencyCount
        self.latencyMilliseconds = latencyMilliseconds
        self.latencyMost = latencyMost
    }
}

extension Store {
    /// The hours that are kept: 30 days.
    private static let hoursKept: Int64 = 720

    /// Adds to what is known of an hour, and forgets what is 30 days older; all or nothing.
    ///
    /// - Parameter figures: what happened since it was last added; of ``HourlyFigures/latencyMost`` the greatest is kept.
    package func add(_ figures: HourlyFigures) throws(StoreError) {
        let counts = [
            figures.accepted, figures.repeated, figures.gone, figures.refused, figures.limited, figures.failed,
            figures.latencyCount, figures.latencyMilliseconds, figures.latencyMost,
        ]
        // No hour has as many, and their sums stay far from what a column holds.
        let values = counts.map { Value.integer(Int64(min(max($0, 0), 1 << 40))) }
        // Far from the ends of the range, so that the difference does not overflow.
        let hour = Value.integer(min(max(figures.hour, -1 << 40), 1 << 40))
        try write(for: .note, isPromised: false) { (database) throws(StoreError) in
            try database.addHour.run([hour] + values)
            try database.forgetOldHours.run([hour, .integer(Self.hoursKept)])
        }
    }

    /// What is known of each hour since then in which something happened, the earliest first.
    ///
    /// - Parameter hour: Unix seconds divided by 3,600.
    package func hours(since hour: Int64) throws(StoreError) -> [HourlyFigures] {
        let rows = try open().connection.prepare(
            """
            SELECT hour, accepted, repeated, gone, refused, limited, failed, latency_count, latency_milliseconds,
                latency_most
            FROM hours WHERE hour >= ?1 ORDER BY hour
            """,
            for: .read
        )
        return try rows.all([.integer(hour)]) { row in
            HourlyFigures(
                hour: row.integer(0),
                accepted: Int(row.integer(1)),
                repeated: Int(row.integer(2)),
                gone: Int(row.integer(3)),
                refused: Int(row.integer(4)),
                limited: Int(row.integer(5)),
                failed: Int(row.integer(6)),
                latencyCount: Int(row.integer(7)),
                latencyMilliseconds: Int(row.integer(8)),
                latencyMost: Int(row.integer(9))
            )
        }
    }
}
