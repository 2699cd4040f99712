/// The way to one of Apple's two services: notifications go in from any task, and each comes back with its outcome.
///
/// There is one live connection at a time, opened by the first notification and kept for hours. It belongs to a
/// generation; one that does not answer, that Apple has ended or that only a new one can mend is replaced by the next
/// generation, while what is under way on it gets its time to finish.
package final class Client: Sendable {
    /// Where Apple is and how the app is named there.
    package struct Configuration: Sendable {
        /// `https://` and a host, with a port where it is not 443; no path.
        package var origin: String
        /// The bundle id of the app, sent as `apns-topic`.
        package var topic: String
        /// A file of certificates to trust in place of the system's; for tests.
        package var certificateAuthorities: String?
        /// The time from `send` to its outcome, whatever Apple does.
        package var deadline: Duration = .seconds(8)
        /// The part of it that opening a connection may take.
        package var connectDeadline: Duration = .seconds(3)
        /// The time after which a connection with something under way and no answer at all counts as dead.
        package var patience: Duration = .seconds(4)
        /// Notifications that may wait for a free stream; one more is refused at once.
        package var longestQueue = 1_000
        /// Streams in use at once, at most what Apple was seen to allow.
        package var mostInFlight = 100

        package init(origin: String, topic: String, certificateAuthorities: String? = nil) {
            self.origin = origin
            self.topic = topic
            self.certificateAuthorities = certificateAuthorities
        }
    }

    private let configuration: Configuration
    let dispatcher: Dispatcher

    /// Prepares a client; nothing is opened until the first notification.
    ///
    /// - Parameters:
    ///   - token: shared by the clients of both services, since Apple limits how often a team may make a new one.
    ///   - report: told of each connection's end, from a thread of the client's.
    ///   - count: told from there of each answer and the time that Apple took for it, and of each try without one; a
    ///     notification that is tried again is more than one.
    package init(
        configuration: Configuration,
        token: ProviderToken,
        report: @escaping @Sendable (ConnectionReport) -> Void = { _ in },
        count: @escaping @Sendable (CountedAnswer, Duration?) -> Void = { _, _ in }
    ) {
        self.configuration = configuration
        dispatcher = Dispatcher(configuration: configuration, token: token, report: report, count: count)
    }

    deinit { stop() }

    /// Sends a notification and waits for what becomes of it.
    ///
    /// It does not throw: a failure is an outcome too. Cancelling the task does not take a notification back, since what
    /// Apple says about the device is wanted all the same.
    ///
    /// - Parameter deadline: when the outcome is due; by default the configured time from now.
    package func send(_ notification: Notification, by deadline: ContinuousClock.Instant? = nil) async -> Outcome {
        let deadline = deadline ?? deadlineFromNow
        return await withCheckedContinuation { continuation in
            dispatcher.post(Job(notification: notification, deadline: deadline, continuation: continuation))
        }
    }

    /// What goes on between a client and Apple.
    package struct Traffic: Sendable, Equatable {
        /// Notifications that wait for a free stream.
        package var queued: Int
        /// Requests that Apple has not answered.
        package var inFlight: Int
        /// Since the client was made, those that came to nothing among them.
        package var connectionsOpened: Int

        package init(queued: Int, inFlight: Int, connectionsOpened: Int) {
            self.queued = queued
            self.inFlight = inFlight
            self.connectionsOpened = connectionsOpened
        }
    }

    /// What goes on now.
    package var traffic: Traffic { dispatcher.traffic }

    /// When the outcome of a notification that is sent now is due.
    package var deadlineFromNow: ContinuousClock.Instant { .now + configuration.deadline }

    /// Has the next notification open a new connection; what is under way finishes on the old one.
    ///
    /// A provider key is bound to a connection, so a new key needs a new one.
    package func replaceConnection() {
        dispatcher.retire(because: .keyRotated)
    }

    /// Refuses what comes from now on and answers what is under way with `stopping`, then ends the connection.
    ///
    /// Returns at once; whoever wants the answers of notifications under way has to wait for them first.
    package func stop() {
        dispatcher.close()
    }
}

/// The end of a connection, for the log.
package enum ConnectionReport: Sendable, Equatable {
    case wedged(String)
    case internalErrors
    case unanswered
    case silent(for: Duration)
    case broken(String)
    case keyRotated
    case old
}

extension ConnectionReport: CustomStringConvertible {
    package var description: String {
        switch self {
        case .wedged(let word): "Apple answered \(word), after which only a new connection helps"
        case .internalErrors: "Apple answered InternalServerError three times"
        case .unanswered: "requests ran out of time"
        case .silent(let time): "no answer for \(time.components.seconds) s with requests under way"
        case .broken(let text): text
        case .keyRotated: "the provider key has changed"
        case .old: "it was a day old"
        }
    }
}

/// One notification on its way, and who waits for it.
struct Job: Sendable {
    let notification: Notification
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Outcome, Never>
    /// Tries after which nobody knows whether Apple has the notification; a second one is the last.
    var unknownFates = 0
    /// Tries that certainly never reached Apple.
    var unsent = 0
}
