import CSQLite
import Glibc

/// How long the connection waits for a lock that another process holds: once for each time it is held, not once a call.
///
/// Calls wait behind each other. If each of them had its own two seconds, the tenth would have its error after twenty,
/// when nobody listens any more; so after one has waited in vain, those behind it fail at once.
final class LockPatience {
    /// How long one lock is waited for.
    var limit = Duration.zero
    /// All the pauses that were ever made.
    private(set) var waited = Duration.zero
    private var began = ContinuousClock.now
    /// While this lies ahead, a lock is not waited for.
    private var isSpentUntil: ContinuousClock.Instant?

    /// After this long the lock is taken for another one, though nothing was written in between.
    private static let memory = Duration.seconds(10)
    /// Milliseconds between two tries, as SQLite itself has them.
    private static let pauses: [UInt32] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50]

    /// Waits a moment, or says that it is enough; `count` is how often this call has asked before.
    fileprivate func waits(_ count: Int) -> Bool {
        let now = ContinuousClock.now
        if count == 0 {
            if let isSpentUntil, now < isSpentUntil { return false }
            began = now
        }
        guard now - began < limit else {
            isSpentUntil = now + Self.memory
            return false
        }
        let pause = Self.pauses.dropFirst(count).first ?? 100
        waited += .milliseconds(Int(pause))
        usleep(pause * 1_000)
        return true
    }

    /// Takes note that something was written: the lock that was waited for is gone.
    func lockIsGone() {
        isSpentUntil = nil
    }

    /// Has SQLite ask this object on `database`, which must not outlive it.
    func govern(_ database: OpaquePointer) -> Int32 {
        sqlite3_busy_handler(database, waitForLock, Unmanaged.passUnretained(self).toOpaque())
    }
}

/// SQLite's callback when it meets a lock: 0 gives up.
private func waitForLock(context: UnsafeMutableRawPointer?, count: Int32) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<LockPatience>.fromOpaque(context).takeUnretainedValue().waits(Int(count)) ? 1 : 0
}
