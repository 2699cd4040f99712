#if FAILPOINTS
    import Glibc
    import Synchronization
#endif

/// A moment between two steps at which a test has the process die, to see what the next start makes of it.
package enum Failpoint: Sendable {
    /// The counter is written, Apple not asked.
    case afterBadgeBump
    /// Apple has answered, neither the row nor the sender knows.
    case afterApple
    /// A statement of the migration is done.
    case midMigration
}

#if FAILPOINTS
    /// Dies here if `RELAY_FAILPOINT` names this moment: `after_apple`, or `mid_migration:3` for its third time.
    ///
    /// Only builds for debugging have this; in those that ship the function is empty and the name of the variable absent.
    package func failpoint(_ point: Failpoint) {
        guard let armed, armed.name == point.name else { return }
        guard passes.add(1, ordering: .relaxed).newValue == armed.pass else { return }
        kill(getpid(), SIGKILL)
    }

    private let passes = Atomic(0)

    private let armed: (name: Substring, pass: Int)? = {
        guard let value = getenv("RELAY_FAILPOINT") else { return nil }
        let parts = String(cString: value).split(separator: ":")
        return parts.first.map { ($0, parts.dropFirst().first.flatMap { Int($0) } ?? 1) }
    }()

    extension Failpoint {
        fileprivate var name: Substring {
            switch self {
            case .afterBadgeBump: "after_badge_bump"
            case .afterApple: "after_apple"
            case .midMigration: "mid_migration"
            }
        }
    }
#else
    /// Does nothing: what ships has no failpoints.
    @inline(__always) package func failpoint(_ point: Failpoint) {}
#endif
