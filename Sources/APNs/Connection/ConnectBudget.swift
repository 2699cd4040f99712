import Synchronization

/// How often Apple may be connected to, whoever wants to, libcurl's own retries included.
///
/// Apple treats connections that are opened and closed repeatedly as an attack. Two windows: a short one for a burst of
/// failures, a long one for an outage.
final class ConnectBudget: Sendable {
    private struct Window {
        let length: Duration
        let most: Int
    }

    private static let windows = [
        Window(length: .seconds(10), most: 8),
        Window(length: .seconds(600), most: 40),
    ]

    private let attempts = Mutex<[ContinuousClock.Instant]>([])

    /// Takes one attempt, or says that there is none left now.
    func spend(at now: ContinuousClock.Instant) -> Bool {
        attempts.withLock { attempts in
            attempts.removeAll { now - $0 >= .seconds(600) }
            for window in Self.windows where attempts.count(where: { now - $0 < window.length }) >= window.most {
                return false
            }
            attempts.append(now)
            return true
        }
    }
}
