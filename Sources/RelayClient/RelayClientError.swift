public import Foundation

/// Why a call of ``RelayClient`` failed, by what the app can do about it.
public enum RelayClientError: Error, Sendable, Equatable {
    /// The network failed, or the relay cannot do it now: the call asked as often as it may, and later it may succeed.
    ///
    /// `after` is how long the relay asks to wait, in seconds, and nil where it does not say. `reason` is for a log; it
    /// holds nothing that is secret.
    case askAgainLater(after: TimeInterval?, reason: String)

    /// The subscription is gone for good: subscribe, and hand the new one to the instance.
    case registerAnew

    /// The app or its settings are wrong, and to ask again is of no use.
    ///
    /// The word is nil for one that this release of the library does not know. `message` is for a log; it says what to do.
    case configuration(ErrorWord?, message: String)

    /// The answer is none that a relay gives: a login page of a network, another server, a redirect.
    case notARelay(status: Int)
}

extension RelayClientError: LocalizedError {
    /// One English sentence, for a log.
    public var errorDescription: String? {
        switch self {
        case .askAgainLater(let delay?, let reason): "Ask the relay again in \(delay) s: \(reason)"
        case .askAgainLater(nil, let reason): "Ask the relay again later: \(reason)"
        case .registerAnew: "The subscription is gone: register anew."
        case .configuration(let word?, let message): "The relay refuses the call (\(word.rawValue)): \(message)"
        case .configuration(nil, let message): "The relay cannot be asked: \(message)"
        case .notARelay(let status): "What answered with \(status) is not a relay."
        }
    }
}

extension RelayClientError {
    init(_ error: TransportError) {
        switch error {
        case .network(let reason): self = .askAgainLater(after: nil, reason: reason)
        case .unusableURL(let reason): self = .configuration(nil, message: reason)
        }
    }
}
