import Synchronization

/// Tells the first line about a cause from those that follow within a minute, so that no flood fills the log's disk.
package final class Repetitions: Sendable {
    private struct Repetition {
        var saidAt: Duration
        var leftOut = 0
    }

    private let uptime: @Sendable () -> Duration
    private let repetitions = Mutex<[String: Repetition]>([:])

    private static let interval = Duration.seconds(60)
    /// Causes come from a short list of the relay's, Apple's and libcurl's words; more than these are somebody's
    /// invention.
    private static let mostCauses = 100

    package init(uptime: @escaping @Sendable () -> Duration) {
        self.uptime = uptime
    }

    /// How many causes are remembered.
    var count: Int { repetitions.withLock(\.count) }

    /// How many lines about this cause were left out since the last one; nil when this one is to be left out too.
    func admit(_ cause: String) -> Int? {
        repetitions.withLock { repetitions in
            let now = uptime()
            if let last = repetitions[cause], now - last.saidAt < Self.interval {
                repetitions[cause]?.leftOut += 1
                return nil
            }
            let leftOut = repetitions[cause]?.leftOut ?? 0
            if repetitions.count >= Self.mostCauses { repetitions = [:] }
            repetitions[cause] = Repetition(saidAt: now)
            return leftOut
        }
    }
}
