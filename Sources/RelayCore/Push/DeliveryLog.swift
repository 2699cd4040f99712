import Store

/// The log of deliveries, in which one cause gets one line a minute however many pushes it stops.
package final class DeliveryLog: Sendable {
    private let log: Log
    private let repetitions: Repetitions

    package init(_ log: Log, uptime: @escaping @Sendable () -> Duration) {
        self.log = log
        repetitions = Repetitions(uptime: uptime)
    }

    /// Writes a line, or counts it for the next one of its cause.
    func callAsFunction(_ line: LogLine, about id: SubscriptionID) {
        let leftOut: Int
        if line.isRepeatable || line.level == .info {
            leftOut = 0
        } else {
            guard let count = repetitions.admit("\(line.event) \(line.cause ?? "")") else { return }
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
    var count: Int { repetitions.count }
}
