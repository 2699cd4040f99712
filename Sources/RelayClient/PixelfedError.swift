public import Foundation

/// Why a call of ``PixelfedClient`` failed, by what the app can do about it.
public enum PixelfedError: Error, Sendable, Equatable {
    /// The network failed, or the instance cannot do it now: the call asked as often as it may, and later it may succeed.
    ///
    /// `after` is how long the instance asks to wait, in seconds, and nil where it does not say. `reason` is for a log; it
    /// holds nothing that is secret.
    case askAgainLater(after: TimeInterval?, reason: String)

    /// 401: the access token is not valid, or not any more; the user signs in again.
    case signInAgain

    /// 403: the access token does not have the scope `push`; the app asks for it when the user signs in again.
    case missingScope

    /// 404: the instance has no Web Push, or has no key for it.
    case pushNotAvailable

    /// 422, and every other 4xx: the instance does not take the subscription, and says why.
    case refused(message: String)

    /// The answer is none that an instance gives: a login page of a network, another server, a redirect.
    case notAnInstance(status: Int)
}

extension PixelfedError: LocalizedError {
    /// One English sentence, for a log.
    public var errorDescription: String? {
        switch self {
        case .askAgainLater(let delay?, let reason): "Ask the instance again in \(delay) s: \(reason)"
        case .askAgainLater(nil, let reason): "Ask the instance again later: \(reason)"
        case .signInAgain: "The access token is not valid: sign in again."
        case .missingScope: "The access token does not have the scope push: sign in again, and ask for it."
        case .pushNotAvailable: "The instance has no Web Push."
        case .refused(let message): "The instance refuses the subscription: \(message)"
        case .notAnInstance(let status): "What answered with \(status) is not an instance."
        }
    }
}

extension PixelfedError {
    init(_ error: TransportError) {
        switch error {
        case .network(let reason): self = .askAgainLater(after: nil, reason: reason)
        case .unusableURL(let reason): self = .refused(message: reason)
        }
    }

    /// What an answer means that is not the one that was asked for.
    init(_ answer: Answer) {
        if answer.isTransient {
            self = .askAgainLater(after: answer.retryAfter, reason: "the answer is \(answer.status)")
            return
        }
        // Instances answer with JSON, some with nothing; pages are from what stands in front of them, or in their place.
        let problem = answer.decoded(Problem.self)
        guard (400...499).contains(answer.status), problem != nil || answer.body.isEmpty else {
            self = .notAnInstance(status: answer.status)
            return
        }
        switch answer.status {
        case 401: self = .signInAgain
        case 403: self = .missingScope
        case 404: self = .pushNotAvailable
        default: self = .refused(message: problem?.words ?? "the answer is \(answer.status)")
        }
    }

    /// How instances say what is wrong: Mastodon with `error`, Laravel with `message`.
    private struct Problem: Decodable {
        let words: String?

        enum CodingKeys: CodingKey { case error, message }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let texts = [CodingKeys.error, .message].compactMap { try? container.decode(String.self, forKey: $0) }
            words = texts.first { !$0.isEmpty }?.printable
        }
    }
}
