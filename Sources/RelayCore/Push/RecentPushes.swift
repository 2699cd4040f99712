import Crypto
import Store
import Synchronization

/// Recognises a notification that a sender sends again although this device has it.
///
/// Pixelfed sends a whole job again, to all of a user's devices and freshly encrypted, when one of them failed. So a
/// content that was accepted for a row less than 120 s ago is a repetition if the very same body came before, or if
/// another row of the same account failed with that content. Two equal comments without a failure are two alerts.
package final class RecentPushes: Sendable {
    /// What a push brought, as far as it is remembered: a digest, no text.
    struct Content: Hashable {
        let digest: [UInt8]
        let tag: [UInt8]

        /// - Parameters:
        ///   - plaintext: the decrypted message, octet for octet.
        ///   - body: the encrypted one, whose last 16 octets are the tag, which no two encryptions share.
        init(plaintext: [UInt8], body: [UInt8]) {
            digest = SHA256.digest(plaintext)
            tag = Array(body.suffix(AESGCM.tagLength))
        }
    }

    private struct Acceptance: Hashable {
        let id: SubscriptionID
        let content: [UInt8]
    }

    private struct Failure: Hashable {
        /// A digest: an account is somebody's name, and may be long.
        let account: [UInt8]
        let content: [UInt8]
    }

    private struct State {
        var accepted: RecentMemory<Acceptance, Set<[UInt8]>>
        var failed: RecentMemory<Failure, Set<SubscriptionID>>
    }

    private let uptime: @Sendable () -> Duration
    private let state: Mutex<State>

    /// - Parameter capacity: contents that are remembered of each kind; past it the oldest are forgotten.
    package init(capacity: Int = 4_096, uptime: @escaping @Sendable () -> Duration) {
        self.uptime = uptime
        state = Mutex(
            State(
                accepted: RecentMemory(capacity: capacity, lifetime: .seconds(120)),
                failed: RecentMemory(capacity: capacity, lifetime: .seconds(120))
            )
        )
    }

    func isRepetition(_ content: Content, for subscription: Subscription) -> Bool {
        state.withLock { state in
            let now = uptime()
            let acceptance = Acceptance(id: subscription.id, content: content.digest)
            guard let tags = state.accepted.value(for: acceptance, at: now) else { return false }
            if tags.contains(content.tag) { return true }
            let failed = state.failed.value(for: failure(content, subscription), at: now) ?? []
            return failed.contains { $0 != subscription.id }
        }
    }

    func accepted(_ content: Content, for subscription: Subscription) {
        state.withLock { state in
            let now = uptime()
            let acceptance = Acceptance(id: subscription.id, content: content.digest)
            var tags = state.accepted.value(for: acceptance, at: now) ?? []
            // A sender tries three times; more bodies of one content are not remembered.
            if tags.count < 8 { tags.insert(content.tag) }
            state.accepted.set(tags, for: acceptance, at: now)
        }
    }

    func failed(_ content: Content, for subscription: Subscription) {
        state.withLock { state in
            let now = uptime()
            let failure = failure(content, subscription)
            var ids = state.failed.value(for: failure, at: now) ?? []
            if ids.count < 16 { ids.insert(subscription.id) }
            state.failed.set(ids, for: failure, at: now)
        }
    }

    /// How many contents are remembered.
    var count: Int { state.withLock { $0.accepted.count + $0.failed.count } }

    private func failure(_ content: Content, _ subscription: Subscription) -> Failure {
        Failure(account: SHA256.digest(Array(subscription.account.utf8)), content: content.digest)
    }
}

/// A dictionary whose values are forgotten after a time, and the oldest of them when there are too many.
struct RecentMemory<Key: Hashable, Value> {
    private let capacity: Int
    private let lifetime: Duration
    /// Each with its place in the order of all, since two may be set at one moment.
    private var values: [Key: (value: Value, at: Duration, place: Int)] = [:]
    private var places = 0

    init(capacity: Int, lifetime: Duration) {
        self.capacity = capacity
        self.lifetime = lifetime
    }

    var count: Int { values.count }

    func value(for key: Key, at now: Duration) -> Value? {
        values[key].flatMap { now - $0.at < lifetime ? $0.value : nil }
    }

    /// Sets a value, whose time begins anew.
    mutating func set(_ value: Value, for key: Key, at now: Duration) {
        values[key] = (value, now, places)
        places += 1
        guard values.count > capacity else { return }
        values = values.filter { now - $0.value.at < lifetime }
        guard values.count > capacity else { return }
        // Half at once, so that the sorting is paid for by thousands of pushes.
        for (key, _) in values.sorted(by: { $0.value.place < $1.value.place }).prefix((capacity + 1) / 2) {
            values[key] = nil
        }
    }
}
