import Synchronization

extension Store {
    /// Erases a subscription because Apple says that its token is dead; nothing changes when it has another token.
    package func delete(_ id: SubscriptionID, deviceToken: String) throws(StoreError) {
        try write(for: .delete) { (database) throws(StoreError) in
            _ = try database.delete(id, deviceToken)
        }
    }

    /// Erases a subscription whose token Apple does not know, unless that has happened too often.
    ///
    /// A wrong topic or environment makes Apple disown every token there is. So after three subscriptions have gone this
    /// way within an hour, and until ``accepted(_:environment:at:)``, the others stay. The answer is false
    /// when this one stays. It is remembered in the file, so that a restart does not begin to count anew.
    package func deleteDoubtful(
        _ id: SubscriptionID,
        deviceToken: String,
        at now: Int64
    ) throws(StoreError) -> Bool {
        try write(for: .delete) { (database) throws(StoreError) in
            // Old ones are only dropped while there are fewer than three: once reached, the limit stays reached.
            if database.tally.doubts >= 3 { return false }
            try database.forgetOldDoubts.run([.integer(now - 3_600)])
            database.tally.doubts -= database.connection.changes
            if try database.delete(id, deviceToken) {
                try database.addDoubt.run([.integer(now)])
                database.tally.doubts += 1
            }
            return true
        }
    }

    /// Whether subscriptions that Apple disowns are being kept, as ``deleteDoubtful(_:deviceToken:at:)`` says.
    package func isGuarded() throws(StoreError) -> Bool {
        try open().tally.doubts >= 3
    }

    /// Takes note that Apple accepted a push for a token, and at which of its services.
    ///
    /// Nothing is written when all of it is known, and then the store's thread is not waited for: `known` is the
    /// subscription as it was read for this push. When it was is noted, as ``note(_:acceptedAt:)`` does it; the row was
    /// there a moment ago, so that is not looked up again.
    package nonisolated func accepted(
        _ known: Subscription,
        environment: String?,
        at now: Int64
    ) async throws(StoreError) {
        notes.withLock { $0.accepted(known.id, at: now) }
        let isNews = known.acceptedAt == nil || (environment != nil && known.environment != environment)
        guard isNews || hasDoubts.load(ordering: .acquiring) else { return }
        try await accept(isNews ? known : nil, environment: environment, at: now)
    }

    /// Writes down what an acceptance tells of a token, if it is news, and that Apple knows tokens of this relay.
    private func accept(_ news: Subscription?, environment: String?, at now: Int64) throws(StoreError) {
        // Another acceptance may have cleared the doubts while this one waited.
        if news == nil, try open().tally.doubts == 0 { return }
        try write(for: .badge, isPromised: false) { (database) throws(StoreError) in
            if let news {
                try database.accept.run([
                    .blob(news.id.digest), try database.lookup(news.deviceToken), environment.map(Value.text),
                    .integer(now),
                ])
            }
            if database.tally.doubts > 0 { try database.clearDoubts.run() }
            database.tally.doubts = 0
        }
    }
}

extension Database {
    /// Erases a subscription that has this token; whether there was one.
    fileprivate func delete(_ id: SubscriptionID, _ deviceToken: String) throws(StoreError) -> Bool {
        try deleteToken.run([.blob(id.digest), try lookup(deviceToken)])
        let count = connection.changes
        tally.subscriptions? -= count
        return count > 0
    }
}
