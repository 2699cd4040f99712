/// What became of a notification; there is one for everything that Apple or the network can do.
package enum Outcome: Sendable, Equatable {
    /// Apple took it.
    case accepted
    /// Apple's word that this token will never again reach this app.
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
        /// The client is being shut down.
        case stopping
    }

    /// The outcome of an answer from Apple other than 200.
    ///
    /// `deviceGone` ends a subscription for good, so it needs a status and a reason that belong together; only 410 says
    /// by its status alone that the token is dead. Whatever is not known keeps the subscription.
    package init(_ rejection: Rejection) {
        switch (rejection.status, rejection.reason) {
        case (410, _), (400, .badDeviceToken), (400, .deviceTokenNotForTopic):
            self = .deviceGone(rejection)
        case (403, _), (400, .topicDisallowed), (400, .badTopic), (400, .missingTopic):
            self = .misconfigured(.rejection(rejection))
        default:
            self = .tryAgain(.rejection(rejection))
        }
    }
}

/// Why no answer of Apple's arrived.
package enum TransportFailure: Sendable, Equatable {
    /// libcurl's result code, and what it says about it.
    case failed(code: Int, text: String)
    /// The time allowed for one notification was over; `waiting` when it had not been started by then.
    case deadline(waiting: Bool)
    /// The peer answered, but not in HTTP/2: something other than Apple sits at that address.
    case notHTTP2
    /// The provider token could not be signed.
    case unsigned
}
