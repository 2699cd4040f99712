/// The last 24 hours, each of them there, with figures that can be added up and drawn.
struct Day {
    /// From the oldest to the one that has not ended.
    let hours: [StatusReport.Hour]

    init(_ report: StatusReport) {
        var known: [Int64: StatusReport.Hour] = [:]
        for hour in report.hours ?? [] { known[hour.start / 3_600] = hour }
        let last = min(max(report.now, 0), 253_402_300_799) / 3_600
        hours = (last - 23...last).map { number in
            Self.bounded(known[number] ?? StatusReport.Hour(start: 0), start: number * 3_600)
        }
    }

    /// Bounds every figure, so that no sum of them overflows.
    private static func bounded(_ hour: StatusReport.Hour, start: Int64) -> StatusReport.Hour {
        var hour = hour
        hour.start = start
        for outcome in Outcome.allCases { hour[keyPath: outcome.figure] = bounded(hour[keyPath: outcome.figure]) }
        hour.latencyMean = hour.latencyMean.map(bounded)
        hour.latencyMax = hour.latencyMax.map { max(bounded($0), hour.latencyMean ?? 0) }
        return hour
    }

    private static func bounded(_ figure: Int) -> Int { min(max(figure, 0), 1_000_000_000) }

    func total(_ outcome: Outcome) -> Int { hours.reduce(0) { $0 + $1[keyPath: outcome.figure] } }

    /// All pushes, whatever became of them.
    var total: Int { hours.reduce(0) { $0 + $1.total } }
}

extension Day {
    /// What became of a push, in the order of the chart from the ground up.
    enum Outcome: String, CaseIterable {
        case accepted, repeated, gone, refused, limited, failed

        var figure: WritableKeyPath<StatusReport.Hour, Int> {
            switch self {
            case .accepted: \.accepted
            case .repeated: \.repeated
            case .gone: \.gone
            case .refused: \.refused
            case .limited: \.limited
            case .failed: \.failed
            }
        }

        /// As the legend says it.
        var words: String { self == .gone ? "device gone" : rawValue }

        /// What the word means.
        var meaning: String {
            switch self {
            case .accepted: "Apple took it"
            case .repeated: "a second try of one that Apple had taken"
            case .gone: "Apple no longer knows the device"
            case .refused: "the message was at fault"
            case .limited: "too many for one subscription"
            case .failed: "Apple or the relay was at fault"
            }
        }
    }
}

extension StatusReport.Hour {
    var total: Int { Day.Outcome.allCases.reduce(0) { $0 + self[keyPath: $1.figure] } }

    /// Its outcomes in words, those that did not occur left out.
    var words: String {
        let some = Day.Outcome.allCases.filter { self[keyPath: $0.figure] > 0 }
        guard !some.isEmpty else { return "no push" }
        return some.map { "\(Words.number(self[keyPath: $0.figure])) \($0.words)" }.joined(separator: ", ")
    }

    var clock: String { UTCTime(start).clock }
}
