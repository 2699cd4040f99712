package import APNs
package import Store
import Synchronization

/// What the relay counts, from any thread and without making anything: a push costs two locks and an addition.
package final class Meters: Sendable {
    private struct Pushes {
        var outcomes = Tally<PushOutcome>()
        var ended = 0
        var duration = Histogram()
        var lastAcceptedAt: Int64 = 0
        var hours = HourlyCounts()
    }

    private struct Answers {
        /// By service, then by the place of the answer among ``CountedAnswer/labels``.
        var counts = [[Int]](
            repeating: [Int](repeating: 0, count: CountedAnswer.labels.count),
            count: AppleService.allCases.count
        )
        var duration = Histogram()
    }

    private struct Others {
        var registrations = Tally<RegistrationOutcome>()
        var limits = Tally<Limit>()
    }

    private let startedAt: Int64
    private let began = Atomic<Int>(0)
    private let pushes = Mutex(Pushes())
    private let answers = Mutex(Answers())
    private let others = Mutex(Others())
    private let badgeTakeBacks = Atomic<Int>(0)
    private let databaseErrors = Atomic<Int>(0)

    /// - Parameter now: when the process began, in seconds since 1970.
    package init(startedAt now: Int64) {
        startedAt = now
    }

    /// What has been counted by now; what is not counted but looked up is left for the caller to fill in.
    package func snapshot() -> Snapshot {
        var snapshot = Snapshot()
        pushes.withLock { pushes in
            snapshot.pushes = pushes.outcomes
            snapshot.pushDuration = pushes.duration
            snapshot.lastAcceptedAt = pushes.lastAcceptedAt
            // Read after those that have ended, and under their lock, so that there are never fewer.
            snapshot.pushesInFlight = began.load(ordering: .relaxed) - pushes.ended
        }
        answers.withLock { answers in
            snapshot.appleAnswers = answers.counts
            snapshot.appleDuration = answers.duration
        }
        others.withLock { others in
            snapshot.registrations = others.registrations
            snapshot.limits = others.limits
        }
        snapshot.badgeTakeBacks = badgeTakeBacks.load(ordering: .relaxed)
        snapshot.databaseErrors = databaseErrors.load(ordering: .relaxed)
        snapshot.process.startedAt = startedAt
        return snapshot
    }

    /// The pushes since the last call, by the hour.
    package func takeHours() -> [HourlyFigures] {
        pushes.withLock { $0.hours.take() }
    }

    /// Has what was taken come again with the next call, when it could not be kept.
    package func putBackHours(_ taken: [HourlyFigures]) {
        pushes.withLock { $0.hours.putBack(taken) }
    }
}

// What is counted.
extension Meters {
    /// A push has reached its handler; exactly one `pushEnded` follows.
    func pushBegan() {
        began.add(1, ordering: .relaxed)
    }

    /// - Parameters:
    ///   - latency: of an accepted one, from the receipt of the whole request to Apple's word.
    ///   - now: seconds since 1970.
    func pushEnded(_ outcome: PushOutcome, latency: Duration? = nil, at now: Int64) {
        pushes.withLock { pushes in
            pushes.ended &+= 1
            pushes.outcomes.add(outcome)
            pushes.hours.add(outcome, latency: latency, at: now)
            if let latency { pushes.duration.add(latency) }
            if outcome == .accepted { pushes.lastAcceptedAt = now }
        }
    }

    /// An answer of Apple's with the time it took, or a try without one.
    package func answered(_ answer: CountedAnswer, after time: Duration?, by service: AppleService) {
        answers.withLock { answers in
            answers.counts[service.rawValue][answer.index] &+= 1
            if let time { answers.duration.add(time) }
        }
    }

    func registrationEnded(_ outcome: RegistrationOutcome) {
        others.withLock { others in
            others.registrations.add(outcome)
            switch outcome {
            case .limited: others.limits.add(.registrations)
            case .full: others.limits.add(.subscriptions)
            case .created, .refused, .unavailable: break
            }
        }
    }

    /// A push was refused for one of its two limits.
    func hit(_ limit: Limit) {
        others.withLock { $0.limits.add(limit) }
    }

    func badgeTakenBack() {
        badgeTakeBacks.add(1, ordering: .relaxed)
    }

    /// The database did not do what it was asked.
    package func databaseFailed() {
        databaseErrors.add(1, ordering: .relaxed)
    }
}
