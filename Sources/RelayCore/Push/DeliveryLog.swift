import Store
import Synchronization

/// The log of deliveries, in which one cause gets one line a minute however many pushes it stops.
package final class DeliveryLog: Sendable {
    private struct Repetition {
        var saidAt: Duration
        var leftOut = 0
    }

    private let log: Log
    private let uptime: @Sendable () -> Duration
    private let repetitions = Mutex<[String: Repetition]>([:])

    private static let interval = Duration.seconds(60)
    /// Causes come from a short list of Apple's and libcurl's words; more than these are somebody's invention.
    private static let mostCauses = 100

    package init(_ log: Log, uptime: @escaping @Sendable () -> Duration) {
        self.log = log
        self.uptime = uptime
    }

    /// Writes a line, or counts it for the next one of its cause.
    func callAsFunction(_ line: LogLine, about id: SubscriptionID) {
        let leftOut: Int
        if line.isRepeatable || line.level == .info {
            leftOut = 0
        } else {
            guard let count = admit("\(line.event) \(line.cause ?? "")") else { return }
            leftOut = count
        }
        log(
            line.level,
            line.event,
            [
                "subscription": id.shortName, "cause": line.cause, "remedy": line.remedy,
                "left_out": leftOut > 0 ? "\(leftOut)" : nil,
            ]
        )
    }

    /// How many causes are remembered.
    var count: Int { repetitions.withLock(\.count) }

    /// How many lines of this cause were left out since the last one; nil when this one is left out too.
    private func admit(_ cause: String) -> Int? {
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
