import Crypto
import Synchronization

extension Store {
    /// All subscriptions in the order of their creation, with what was noted and is not written yet; decrypts nothing.
    package func summaries() throws(StoreError) -> [SubscriptionSummary] {
        try summaries(where: "true", [])
    }

    /// One of them; `nil` says for certain that there is none.
    package func summary(of id: SubscriptionID) throws(StoreError) -> SubscriptionSummary? {
        try summaries(where: "id = ?1", [.blob(id.digest)]).first
    }

    private func summaries(where condition: String, _ values: [Value]) throws(StoreError) -> [SubscriptionSummary] {
        let rows = try open().connection.prepare(
            """
            SELECT id, substr(device, 1, 4), label, account, environment, created_at, last_accepted_at, last_failed_at,
                last_failure, badge_count, badges_enabled, vapid_key IS NOT NULL
            FROM subscriptions WHERE \(condition) ORDER BY created_at, number
            """,
            for: .read
        )
        let notes = notes.withLock { $0 }
        return try rows.all(values) { row in
            let id = SubscriptionID(digest: row.blob(0))
            let note = notes[id]
            return SubscriptionSummary(
                id: id,
                device: Hex.encode(row.blob(1)),
                label: row.text(2),
                account: row.text(3),
                environment: row.value(4) == nil ? nil : row.text(4),
                createdAt: row.integer(5),
                lastAcceptedAt: note?.acceptedAt ?? (row.value(6) == nil ? nil : row.integer(6)),
                lastFailedAt: note?.failedAt ?? (row.value(7) == nil ? nil : row.integer(7)),
                lastFailure: note?.failure ?? (row.value(8) == nil ? nil : row.text(8)),
                // 64 bits here as there, and the table's CHECK keeps it within 31.
                badgeCount: Int(row.integer(9)),
                badgesEnabled: row.integer(10) != 0,
                isPinned: row.integer(11) != 0
            )
        }
    }

    /// How many subscriptions there are.
    package func count() throws(StoreError) -> Int {
        Int(try open().count())
    }

    /// The subscriptions whose short name the operator may mean, in the order of their creation; more than one when it
    /// is ambiguous.
    ///
    /// - Parameter prefix: of the hex digest of the id; what is no ``SubscriptionID/isName(_:)`` names none.
    package func subscriptions(named prefix: String) throws(StoreError) -> [SubscriptionSummary] {
        guard SubscriptionID.isName(prefix) else { return [] }
        return try summaries(where: "substr(lower(hex(id)), 1, length(?1)) = ?1", [.text(prefix)])
    }
}
