package import Store

/// What became of the pushes since it was last taken out, by the hour: two when one has ended in between.
package struct HourlyCounts: Sendable {
    private var hours: [HourlyFigures] = []

    /// What is kept while nobody takes it; of a longer time the oldest is dropped.
    private static let mostHours = 48

    package init() {}

    /// - Parameters:
    ///   - latency: of an accepted push, from its receipt to Apple's word.
    ///   - now: seconds since 1970.
    mutating func add(_ outcome: PushOutcome, latency: Duration?, at now: Int64) {
        let place = place(of: now >= 0 ? now / 3_600 : (now - 3_599) / 3_600)
        hours[place].add(outcome)
        if let latency { hours[place].add(latency: latency) }
    }

    /// The figures in the order of their hours; from now on they are at 0.
    package mutating func take() -> [HourlyFigures] {
        defer { hours.removeAll(keepingCapacity: true) }
        return hours.sorted { $0.hour < $1.hour }
    }

    /// Adds what was taken out and could not be kept.
    package mutating func putBack(_ taken: [HourlyFigures]) {
        for figures in taken { hours[place(of: figures.hour)].add(figures) }
    }

    /// Where an hour is; a clock that is set back may ask for an earlier one.
    private mutating func place(of hour: Int64) -> Int {
        if let place = hours.lastIndex(where: { $0.hour == hour }) { return place }
        if hours.count >= Self.mostHours { hours.removeFirst() }
        hours.append(HourlyFigures(hour: hour))
        return hours.count - 1
    }
}

extension HourlyFigures {
    fileprivate mutating func add(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted: accepted &+= 1
        case .repeated: repeated &+= 1
        case .gone, .unknown: gone &+= 1
        case .refused: refused &+= 1
        case .limited: limited &+= 1
        case .misconfigured, .guarded, .failed, .overloaded, .unavailable, .internal: failed &+= 1
        }
    }

    fileprivate mutating func add(latency: Duration) {
        let milliseconds = Int(latency.nanoseconds / 1_000_000)
        latencyCount &+= 1
        latencyMilliseconds &+= milliseconds
        latencyMost = max(latencyMost, milliseconds)
    }

    fileprivate mutating func add(_ other: HourlyFigures) {
        accepted &+= other.accepted
        repeated &+= other.repeated
        gone &+= other.gone
        refused &+= other.refused
        limited &+= other.limited
        failed &+= other.failed
        latencyCount &+= other.latencyCount
        latencyMilliseconds &+= other.latencyMilliseconds
        latencyMost = max(latencyMost, other.latencyMost)
    }
}
