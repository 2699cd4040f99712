import APNs

/// What an app shows of a failure: words for a person, who need not know Apple's, and what they can do if anything.
enum FailureWords {
    /// - Parameter note: the text that is stored with a row, which is a cause's description; also one of an earlier release.
    static func text(for note: String) -> String {
        Outcome.Cause(description: note)?.words ?? unknown
    }

    fileprivate static let unknown = "Apple did not take the notification."
    fileprivate static let configuration = "Apple refuses the relay's key or settings: tell whoever runs the relay."
    fileprivate static let fault = "The relay made a mistake: tell whoever runs the relay."
    fileprivate static let unreachable = "The relay could not reach Apple."
    fileprivate static let busy = "The relay had too much to do."
}

extension Outcome.Cause {
    /// The cause that is described like this, as far as the description goes.
    init?(description: String) {
        let words = description.split(separator: " ")
        if words.count == 2, words[0] == "status", let status = Int(words[1]) {
            self = .rejection(Rejection(status: status, word: ""))
        } else if words.count == 2, let status = Int(words[0]) {
            self = .rejection(Rejection(status: status, word: String(words[1])))
        } else if let cause = Self.plain.first(where: { $0.description == description }) {
            self = cause
        } else if description.hasPrefix("no answer: ") {
            self = .transport(.failed(code: 0, text: ""))
        } else {
            return nil
        }
    }

    /// Those of which the description says everything.
    private static let plain: [Self] = [
        .transport(.tooManyConnections), .transport(.deadline(waiting: true)), .transport(.deadline(waiting: false)),
        .transport(.notHTTP2), .transport(.unsigned), .overloaded, .noThread, .stopping,
    ]

    /// The cause in words for a person.
    var words: String {
        switch self {
        case .rejection(let rejection): rejection.reason?.words ?? FailureWords.unknown
        case .transport(.failed), .transport(.tooManyConnections): FailureWords.unreachable
        case .transport(.deadline): "Apple did not answer in time."
        case .transport(.notHTTP2): "Something else than Apple answered the relay: tell whoever runs the relay."
        case .transport(.unsigned): FailureWords.configuration
        case .overloaded, .noThread: FailureWords.busy
        case .stopping: "The relay was about to stop."
        }
    }
}

extension Rejection.Reason {
    fileprivate var words: String {
        switch self {
        case .badDeviceToken, .deviceTokenNotForTopic, .expiredToken, .unregistered:
            "Apple does not know this device any more: it has to register anew."
        case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIdInToken, .badEnvironmentKeyInToken,
            .badTopic, .expiredProviderToken, .forbidden, .invalidProviderToken, .missingProviderToken, .missingTopic,
            .topicDisallowed, .unrelatedKeyIdInToken:
            FailureWords.configuration
        case .tooManyProviderTokenUpdates:
            "Apple takes nothing from the relay for some minutes."
        case .tooManyRequests:
            "Apple took no more for this device: too many notifications came at once."
        case .internalServerError, .serviceUnavailable, .shutdown, .idleTimeout:
            "Apple's service was out of order."
        case .badCollapseId, .badExpirationDate, .badMessageId, .badPath, .badPriority, .duplicateHeaders,
            .invalidPushType, .methodNotAllowed, .missingDeviceToken, .payloadEmpty, .payloadTooLarge:
            FailureWords.fault
        }
    }
}
