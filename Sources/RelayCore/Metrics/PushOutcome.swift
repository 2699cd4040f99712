import WebPush

/// What became of one push; each that reached its handler has exactly one.
package enum PushOutcome: Int, Sendable, CaseIterable {
    /// Apple took it.
    case accepted
    /// A sender's second try of what the device has.
    case repeated
    /// Apple says that the device token is dead.
    case gone
    /// No subscription has the id.
    case unknown
    /// The message, or who sent it, is not what it has to be.
    case refused
    /// More came than one subscription may get.
    case limited
    /// Apple refuses the key, the topic or the environment.
    case misconfigured
    /// Apple disowns the device, and too many subscriptions have gone for that already.
    case guarded
    /// Apple refused it for another reason, or did not answer.
    case failed
    /// Too much waits for Apple, or the relay is stopping or out of threads.
    case overloaded
    /// The database, or OpenSSL, cannot be used.
    case unavailable
    /// A fault of the relay.
    case `internal`

    /// Its name in the numbers.
    package var label: String {
        switch self {
        case .accepted: "accepted"
        case .repeated: "repeated"
        case .gone: "gone"
        case .unknown: "unknown"
        case .refused: "refused"
        case .limited: "limited"
        case .misconfigured: "misconfigured"
        case .guarded: "guarded"
        case .failed: "failed"
        case .overloaded: "overloaded"
        case .unavailable: "unavailable"
        case .internal: "internal"
        }
    }

    /// - Parameter error: why a push was not done; those that no push can meet are what they would be if one did.
    init(_ error: RelayError) {
        switch error {
        case .deviceGone: self = .gone
        case .subscriptionGone, .unknownRoute: self = .unknown
        case .methodNotAllowed, .unauthorized, .unknownCoding, .otherSender, .malformedField, .signingKeyReused,
            .malformedMessage, .malformedBody:
            self = .refused
        case .undecryptable(.cryptographyFailed): self = .unavailable
        case .undecryptable: self = .refused
        case .rateLimited, .tooManyRegistrations: self = .limited
        case .appleRefusesConfiguration: self = .misconfigured
        case .deletionRefused: self = .guarded
        case .appleFailed: self = .failed
        case .overloaded: self = .overloaded
        case .database, .backupsOverdue, .tooManySubscriptions: self = .unavailable
        case .internalFailure: self = .internal
        }
    }
}

/// What became of one registration.
package enum RegistrationOutcome: Int, Sendable, CaseIterable {
    case created
    /// It is not what it has to be, or came without the subscribe token.
    case refused
    /// There were too many of them within the last hour.
    case limited
    /// There are as many subscriptions as there may be.
    case full
    case unavailable

    /// Its name in the numbers.
    package var label: String {
        switch self {
        case .created: "created"
        case .refused: "refused"
        case .limited: "limited"
        case .full: "full"
        case .unavailable: "unavailable"
        }
    }

    /// - Parameter error: why a registration was not done.
    init(_ error: RelayError) {
        if case .tooManySubscriptions = error {
            self = .full
            return
        }
        switch PushOutcome(error) {
        case .refused: self = .refused
        case .limited: self = .limited
        case .accepted, .repeated, .gone, .unknown, .misconfigured, .guarded, .failed, .overloaded, .unavailable,
            .internal:
            self = .unavailable
        }
    }
}

/// A limit that the relay itself holds somebody to; the listener has its own.
package enum Limit: Int, Sendable, CaseIterable {
    /// Messages to one subscription.
    case messages
    /// Bodies for one subscription that do not decrypt.
    case strays
    case registrations
    case subscriptions
}
