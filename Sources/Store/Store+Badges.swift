/// What one push did to its subscription's counter: what to show, and what to take back should the push fail.
package struct BadgeIncrement: Sendable, Equatable {
    /// The sum over the device's subscriptions with badges enabled, 1 … 2,147,483,647; `nil` when this one's are off.
    package let badge: Int?
    /// 1, or 0 when the counter was at its cap already.
    package let added: Int
    /// How often the app had set the counter by then.
    package let epoch: Int64
}

extension Store {
    /// Sets the counter to what the app knows to be true, clamped to 0 … 2,147,483,647; no subscription is no error.
    ///
    /// Increments from before can no longer be taken back.
    package func setBadge(_ id: SubscriptionID, to count: Int64) throws(StoreError) {
        try write(for: .badge) { (database) throws(StoreError) in
            try database.setBadge.run([.blob(id.digest), .integer(min(max(count, 0), 2_147_483_647))])
        }
    }

    /// Chooses whether the subscription shows badges; it counts either way, and no subscription is no error.
    package func setBadgesEnabled(_ id: SubscriptionID, _ enabled: Bool) throws(StoreError) {
        try write(for: .badge) { (database) throws(StoreError) in
            try database.setBadgesEnabled.run([.blob(id.digest), .integer(enabled ? 1 : 0)])
        }
    }

    /// Adds one to the counter, up to 2,147,483,647; `nil` when there is no such subscription any more.
    ///
    /// A power cut may undo the last ones: the app sets the counter anyway, and a sync for each push would cost more than
    /// all the rest of it.
    package func countUp(_ id: SubscriptionID) throws(StoreError) -> BadgeIncrement? {
        let id = Value.blob(id.digest)
        return try write(for: .badge, isPromised: false) { (database) throws(StoreError) in
            try database.increment.run([id])
            let added = Int(database.connection.changes)
            return try database.badge.first([id]) { row in
                BadgeIncrement(
                    badge: row.integer(0) != 0 ? Int(row.integer(2)) : nil,
                    added: added,
                    epoch: row.integer(1)
                )
            }
        }
    }

    /// Undoes an increment whose push failed, at most what it added and never below 0; call it once per increment.
    ///
    /// Nothing changes when the app has set the counter since, or when there is no such subscription any more. After an
    /// error it is owed: the next write that succeeds, whatever it is, takes it back.
    package func takeBack(_ increment: BadgeIncrement, of id: SubscriptionID) throws(StoreError) {
        debts.add(increment, of: id)
        try payDebts()
    }
}
