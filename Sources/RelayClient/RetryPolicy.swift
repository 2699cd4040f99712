public import Foundation

/// How often a call asks again by itself, and how long it waits before.
///
/// It asks again after a failure of the network, 408, 429 and 5xx, and after nothing else.
public struct RetryPolicy: Sendable, Equatable {
    /// How often a call asks in all; below 1 it is 1.
    public var attempts: Int

    /// How long it waits before it asks for the second time, in seconds; each later wait is twice the one before.
    ///
    /// It waits for a random part of that, half at least, so that many devices do not come back at the same moment.
    public var firstDelay: TimeInterval

    /// How long it waits at most, in seconds.
    ///
    /// Where `Retry-After` asks for no longer than this, it waits for that time and up to ``firstDelay`` more. Where it
    /// asks for longer, the call ends, and its error says how long.
    public var longestDelay: TimeInterval

    /// A policy with these figures; delays that are no positive number are 0.
    public init(attempts: Int, firstDelay: TimeInterval, longestDelay: TimeInterval) {
        self.attempts = attempts
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
    }

    /// Three times in all, after 1 s and 2 s, and at most 30 s.
    public static let standard = RetryPolicy(attempts: 3, firstDelay: 1, longestDelay: 30)

    /// Once.
    public static let none = RetryPolicy(attempts: 1, firstDelay: 0, longestDelay: 0)

    /// How long to wait after so many attempts; nil to give up.
    ///
    /// - Parameter jitter: a random number from 0 to 1.
    func delay(afterAttempt attempt: Int, retryAfter: TimeInterval?, jitter: Double) -> TimeInterval? {
        guard attempt < attempts else { return nil }
        let first = Self.bounded(firstDelay)
        let longest = Self.bounded(longestDelay)
        if let retryAfter {
            return retryAfter <= longest ? retryAfter + first * jitter : nil
        }
        return min(first * Double(1 << min(attempt - 1, 30)), longest) * (0.5 + jitter / 2)
    }

    /// Within 0 and a day, whatever it is.
    private static func bounded(_ delay: TimeInterval) -> TimeInterval {
        delay > 0 ? min(delay, 86_400) : 0
    }
}
