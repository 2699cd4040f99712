/// What became of a notification; there is one for everything that Apple or the network can do.
package enum Outcome: Sendable, Equatable {
    /// Apple took it.
    case accepted
    /// Apple's word that this token does not reach this app.
    case deviceGone(Rejection)
    /// No notification can get through until the operator has changed something.
    case misconfigured(Cause)
    /// It may well work later.
    case tryAgain(Cause)

    /// What stood in the way.
    package enum Cause: Sendable, Equatable {
        case rejection(Rejection)
        case transport(TransportFailure)
        /// As many notifications wait for Apple as may wait.
        case overloaded
        /// The system gave no thread for a connection.
        case noThread
        /// The client is being shut down.
        case stopping
    }

    /// What stood in the way; nil for an accepted one.
    package var cause: Cause? {
        switch self {
        case .accepted: nil
        case .deviceGone(let rejection): .rejection(rejection)
        case .misconfigured(let cause), .tryAgain(let cause): cause
        }
    }

    /// The outcome of an answer other than 200.
    ///
    /// `deviceGone` ends a subscription for good, so it takes a word of Apple's that is known to mean it, or 410, which
    /// means it whatever the word. Whatever is not known keeps the subscription.
    package init(_ rejection: Rejection) {
        let cause = Cause.rejection(rejection)
        guard let reason = rejection.reason else {
            switch rejection.status {
            case 410: self = .deviceGone(rejection)
            case 403: self = .misconfigured(cause)
            default: self = .tryAgain(cause)
            }
            return
        }
        switch reason {
        case .badDeviceToken, .deviceTokenNotForTopic, .expiredToken, .unregistered:
            self = .deviceGone(rejection)
        case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIdInToken, .badEnvironmentKeyInToken,
            .expiredProviderToken, .forbidden, .invalidProviderToken, .missingProviderToken, .unrelatedKeyIdInToken,
            .badTopic, .missingTopic, .topicDisallowed:
            self = .misconfigured(cause)
        case .badCollapseId, .badExpirationDate, .badMessageId, .badPriority, .duplicateHeaders, .idleTimeout,
            .invalidPushType, .missingDeviceToken, .payloadEmpty, .badPath, .methodNotAllowed, .payloadTooLarge,
            .tooManyProviderTokenUpdates, .tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown:
            self = .tryAgain(cause)
        }
    }
}

/// Why no answer of Apple's arrived.
package enum TransportFailure: Sendable, Equatable {
    /// libcurl's result code, and what it says about it.
    case failed(code: Int, text: String)
    /// More connections were opened lately than Apple takes well, so none is opened for some time.
    case tooManyConnections
    /// The time allowed for one notification was over; `waiting` when it had not been sent by then.
    case deadline(waiting: Bool)
    /// The peer answered, but not in HTTP/2: something other than Apple sits at that address.
    case notHTTP2
    /// The provider token could not be signed.
    case unsigned
}
