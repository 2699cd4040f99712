import APNs

/// What an outcome means for the row, the badge, the sender and the log. (What it means for the connection is Apple's
/// client's own business: `ConnectionEffect`.)
struct Consequence {
    /// What becomes of the subscription.
    enum Row: Equatable {
        case kept
        case deleted
        /// Deleted, unless too many went this way.
        case deletedUnlessGuarded
    }

    /// What becomes of the increment of the counter.
    enum Badge: Equatable {
        case counted
        case takenBack
    }

    let row: Row
    let badge: Badge
    /// The sender's answer; nil is 201.
    let answer: RelayError?
    /// What the log says; of one that is repeated, one a minute.
    let line: LogLine

    /// - Parameter registeredAt: when the row's device registered, in seconds since 1970: Apple's 410 may be about the
    ///   time before that.
    init(of outcome: Outcome, registeredAt: Int64, now: Int64) {
        switch outcome {
        case .accepted:
            (row, badge, answer) = (.kept, .counted, nil)
            line = LogLine(level: .info, event: "push_accepted")
        case .deviceGone(let rejection):
            let isOutdated = rejection.timestamp.map { $0 / 1_000 < registeredAt } ?? false
            guard !isOutdated else {
                (row, badge, answer) = (.kept, .takenBack, .appleFailed)
                let remedy = "wait: Apple speaks of the time before the device registered anew"
                line = LogLine(
                    level: .info,
                    event: "device_gone_before",
                    cause: Outcome.Cause.rejection(rejection).description,
                    remedy: remedy
                )
                return
            }
            (badge, answer) = (.takenBack, .deviceGone)
            // One device that was wiped is everyday life; one that Apple does not know may be a wrong topic or environment.
            line = LogLine(
                level: rejection.status == 410 ? .info : .warning,
                event: "device_gone",
                cause: Outcome.Cause.rejection(rejection).description,
                isRepeatable: true
            )
            row = rejection.status == 410 ? .deleted : .deletedUnlessGuarded
        case .misconfigured(let cause):
            (row, badge, answer) = (.kept, .takenBack, .appleRefusesConfiguration)
            line = LogLine(
                level: .error,
                event: "apple_refuses_configuration",
                cause: cause.description,
                remedy: cause.remedy(now: now)
            )
        case .tryAgain(let cause):
            (row, badge) = (.kept, .takenBack)
            line = LogLine(
                level: .warning,
                event: "push_failed",
                cause: cause.description,
                remedy: cause.remedy(now: now)
            )
            switch cause {
            case .overloaded, .noThread, .stopping: answer = .overloaded
            case .rejection, .transport: answer = .appleFailed
            }
        }
    }

    /// What the log says instead of a subscription that is kept only because too many went before it.
    var guardedLine: LogLine {
        LogLine(
            level: .error,
            event: "deletion_refused",
            cause: line.cause,
            remedy: "check APNS_TOPIC and APNS_ENVIRONMENT: Apple disowns one device after the other, so no more are "
                + "deleted until it accepts a push"
        )
    }
}

/// One line of the log about a push.
struct LogLine: Equatable {
    var level: Log.Level
    var event: String
    var cause: String?
    var remedy: String?
    /// Whether it is written however often it comes; otherwise one a minute of each cause.
    var isRepeatable = false
}
