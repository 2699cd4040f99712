extension Store {
    /// Erases a subscription because Apple says that its token is dead; nothing changes when it has another token.
    package func delete(_ id: SubscriptionID, deviceToken: String) throws(StoreError) {
        try write(for: .delete) { (database) throws(StoreError) in
            try database.deleteToken.run([.blob(id.digest), try database.lookup(deviceToken)])
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
            if try database.doubts() >= 3 { return false }
            try database.forgetOldDoubts.run([.integer(now - 3_600)])
            try database.deleteToken.run([.blob(id.digest), try database.lookup(deviceToken)])
            if database.connection.changes > 0 { try database.addDoubt.run([.integer(now)]) }
            return true
        }
    }

    /// Whether subscriptions that Apple disowns are being kept, as ``deleteDoubtful(_:deviceToken:at:)`` says.
    package func isGuarded() throws(StoreError) -> Bool {
        try open().doubts() >= 3
    }

    /// Takes note that Apple accepted a push for a token, and at which of its services.
    ///
    /// Nothing is written when all of it is known: `known` is the subscription as it was read for this push. When it was is
    /// noted, as ``note(_:acceptedAt:)`` does it; the row was there a moment ago, so that is not looked up again.
    package func accepted(_ known: Subscription, environment: String?, at now: Int64) throws(StoreError) {
        let database = try open()
        notes.accepted(known.id, at: now)
        let isNews = known.acceptedAt == nil || (environment != nil && known.environment != environment)
        let hasDoubts = try database.doubts() > 0
        guard isNews || hasDoubts else { return }
        try write(for: .badge, isPromised: false) { (database) throws(StoreError) in
            if isNews {
                try database.accept.run([
                    .blob(known.id.digest), try database.lookup(known.deviceToken), environment.map(Value.text),
                    .integer(now),
                ])
            }
            if hasDoubts { try database.clearDoubts.run() }
        }
    }
}

extension Database {
    fileprivate func doubts() throws(StoreError) -> Int64 {
        try countDoubts.first { $0.integer(0) } ?? 0
    }
}
