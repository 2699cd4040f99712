import Crypto
import FoundationEssentials
import Synchronization

/// The JSON Web Token that proves to Apple who is sending, made once and shared by all requests for 45 minutes.
///
/// Apple refuses a token that is older than an hour, and a provider that makes a new one more often than every 20
/// minutes (Apple, "Establishing a token-based connection to APNs"). Whether that is counted for a connection or for a
/// team, Apple's own texts disagree; here it holds for the team, and across restarts.
package final class ProviderToken: Sendable {
    private struct State {
        var key: ProviderKey
        var issued: IssuedToken?
    }

    private let clock: Clock
    private let file: TokenFile?
    private let state: Mutex<State>

    private static let lifetime = Duration.seconds(45 * 60)
    private static let shortestInterval = Duration.seconds(20 * 60)

    /// The two clocks that a token's age is told by.
    package struct Clock: Sendable {
        /// Seconds since 1970, which Apple compares with its own.
        let now: @Sendable () -> Int64
        /// The time since the machine started, so that a step of the other clock cannot stretch a token's life.
        let uptime: @Sendable () -> Duration

        package init(now: @escaping @Sendable () -> Int64, uptime: @escaping @Sendable () -> Duration) {
            self.now = now
            self.uptime = uptime
        }
    }

    /// - Parameter file: where the token is kept for the next start of the process; nil keeps it in memory alone.
    package init(key: ProviderKey, clock: Clock, file: TokenFile? = nil) {
        self.clock = clock
        self.file = file
        let kept = file?.load(for: key, now: clock.now(), uptime: clock.uptime())
        state = Mutex(State(key: key, issued: kept))
    }

    /// The token to put behind `bearer`; whoever asks while it is being made waits for the one that comes of it.
    package func value() throws -> String {
        try state.withLock { state in
            if let issued = state.issued, isToBeKept(issued) { return issued.token }
            // A command beside the relay may have made one in the meantime, and Apple counts both.
            if let kept = file?.load(for: state.key, now: clock.now(), uptime: clock.uptime()), isToBeKept(kept) {
                state.issued = kept
                return kept.token
            }
            return try issue(&state)
        }
    }

    /// How long ago the token was made; nil while there is none.
    package var age: Duration? {
        state.withLock { state in state.issued.map { clock.uptime() - $0.uptime } }
    }

    /// Makes a new token after Apple has called `token` expired; false when it is too soon for another.
    ///
    /// A hundred requests that were refused together make one new token: all but the first find it made already.
    func renew(afterRejectionOf token: String) -> Bool {
        state.withLock { state in
            guard let issued = state.issued, issued.token == token else { return true }
            guard !isTooYoungToReplace(issued) else { return false }
            return (try? issue(&state)) != nil
        }
    }

    /// Signs with another key from now on; false when it is the same one.
    package func rotate(to key: ProviderKey) -> Bool {
        state.withLock { state in
            guard key != state.key else { return false }
            state = State(key: key, issued: nil)
            return true
        }
    }

    /// Old by either clock is old; one from the future means that the wall clock was set back.
    private func isOld(_ issued: IssuedToken) -> Bool {
        let age = Duration.seconds(clock.now() - issued.issuedAt)
        return age < .zero || age >= Self.lifetime || clock.uptime() - issued.uptime >= Self.lifetime
    }

    private func isToBeKept(_ issued: IssuedToken) -> Bool {
        !isOld(issued) || isTooYoungToReplace(issued)
    }

    private func isTooYoungToReplace(_ issued: IssuedToken) -> Bool {
        clock.uptime() - issued.uptime < Self.shortestInterval
    }

    private func issue(_ state: inout State) throws -> String {
        let now = clock.now()
        let token = try state.key.sign(issuedAt: now)
        let issued = IssuedToken(token: token, issuedAt: now, uptime: clock.uptime())
        state.issued = issued
        file?.save(issued, for: state.key)
        return token
    }
}

/// A token and when it was made, by both clocks.
struct IssuedToken: Sendable {
    let token: String
    /// Seconds since 1970, as the token itself says.
    let issuedAt: Int64
    let uptime: Duration
}
