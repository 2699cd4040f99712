/// Whether a connection can be trusted with another notification.
///
/// libcurl 7.88.1 keeps a connection that does not answer and sends every later request into it, so the relay has to see
/// for itself that one is dead and open another.
struct Health {
    /// Whether anything was accepted over this connection.
    private(set) var hasSucceeded = false
    private var unanswered = 0
    private var internalErrors = 0
    private var lastAnswer: ContinuousClock.Instant
    private let patience: Duration

    /// - Parameter patience: see `Client.Configuration`.
    init(at now: ContinuousClock.Instant, patience: Duration) {
        lastAnswer = now
        self.patience = patience
    }

    mutating func accepted(at now: ContinuousClock.Instant) {
        hasSucceeded = true
        unanswered = 0
        internalErrors = 0
        lastAnswer = now
    }

    /// Takes note of another answer; true when the connection should be replaced.
    mutating func rejected(_ effect: ConnectionEffect, at now: ContinuousClock.Instant) -> Bool {
        lastAnswer = now
        unanswered = 0
        switch effect {
        case .keep:
            internalErrors = 0
            return false
        case .suspect:
            internalErrors += 1
            return internalErrors >= 3
        case .replace, .replaceWithNewToken:
            return true
        }
    }

    /// Takes note of a request that ran out of time; true when the connection should be replaced.
    ///
    /// A new one is given up at once, one that has worked gets a second chance.
    mutating func ranOut() -> Bool {
        unanswered += 1
        return !hasSucceeded || unanswered >= 2
    }

    /// Takes note that something is sent over a connection that had nothing to do.
    mutating func resumed(at now: ContinuousClock.Instant) {
        lastAnswer = now
    }

    /// Whether there has been no answer for too long; to be asked while something is under way.
    func isSilent(at now: ContinuousClock.Instant) -> Bool {
        now - lastAnswer >= patience
    }
}
