extension Store {
    /// The subscription as of now; `nil` says for certain that there is none, which is all that a 404 may rest on.
    package func subscription(_ id: SubscriptionID) throws(StoreError) -> Subscription? {
        let database = try open()
        return try database.find.first([.blob(id.digest)]) { row throws(StoreError) in
            Subscription(
                id: id,
                deviceToken: String(decoding: try database.open(row.blob(0), .deviceToken, of: id), as: UTF8.self),
                account: row.text(1),
                label: row.text(2),
                privateKey: try database.open(row.blob(3), .privateKey, of: id),
                publicKey: row.value(11) == nil ? nil : row.blob(11),
                authSecret: try database.open(row.blob(4), .authSecret, of: id),
                // 64 bits here as there, and the table's CHECK keeps it within 31.
                badgeCount: Int(row.integer(5)),
                badgesEnabled: row.integer(6) != 0,
                createdAt: row.integer(7),
                environment: row.value(8) == nil ? nil : row.text(8),
                acceptedAt: row.value(9) == nil ? nil : row.integer(9),
                vapidKey: row.value(10) == nil ? nil : row.blob(10)
            )
        }
    }

    /// Inserts a subscription in place of the device's others for the same account, and keeps the device at 10.
    ///
    /// Returns the ids that are gone for it: the ones replaced, and the oldest of the device past 10. An id that
    /// exists is ``StoreError/constraint(_:)``; on any error all rows are as before.
    ///
    /// - Parameter most: rows in total. One that would be one more is ``StoreError/tooManySubscriptions(most:)``: nobody's
    ///   row goes for a stranger's. What takes another's place is taken at any number.
    package func register(_ registration: Registration, most: Int = .max) throws(StoreError) -> [SubscriptionID] {
        let id = Value.blob(registration.id.digest)
        let account = Value.text(registration.account)
        // Before the write, so that one that is refused does not have it counted again.
        let count = try open().count()
        return try write(for: .register) { (database) throws(StoreError) in
            let secrets = try database.seal.secrets(
                deviceToken: registration.deviceToken,
                privateKey: registration.privateKey,
                authSecret: registration.authSecret,
                of: registration.id
            )
            let device = secrets.device
            // What was learnt of the token holds for every account on the device, and outlives a new registration.
            let proof = try database.findProof.first([device]) { (environment: $0.value(0), acceptedAt: $0.value(1)) }
            // What the app says now takes its place, and is not proven by it.
            let isProven =
                registration.environment == nil || proof?.environment == registration.environment.map(Value.text)
            let replaced = try database.removePair.all([device, account]) { SubscriptionID(digest: $0.blob(0)) }
            try database.insert.run([
                id,
                device,
                secrets.deviceToken,
                account,
                .text(registration.label),
                secrets.privateKey,
                secrets.authSecret,
                .integer(registration.createdAt),
                registration.environment.map(Value.text) ?? proof?.environment ?? nil,
                isProven ? proof?.acceptedAt ?? nil : nil,
                registration.vapidKey.map(Value.blob),
                registration.publicKey.map(Value.blob),
            ])
            let evicted = try database.evict.all([device, id]) { SubscriptionID(digest: $0.blob(0)) }
            let gone = replaced + evicted
            if gone.isEmpty, count >= most { throw .tooManySubscriptions(most: most) }
            database.tally.subscriptions = count + 1 - Int64(gone.count)
            return gone
        }
    }

    /// Erases a subscription; that there is none is no error, and false.
    @discardableResult
    package func delete(_ id: SubscriptionID) throws(StoreError) -> Bool {
        try write(for: .delete) { (database) throws(StoreError) in
            try database.delete.run([.blob(id.digest)])
            let count = database.connection.changes
            database.tally.subscriptions? -= count
            return count > 0
        }
    }
}

extension Database {
    /// How many subscriptions there are.
    func count() throws(StoreError) -> Int64 {
        if let count = tally.subscriptions { return count }
        let count = Int64(try connection.countRows())
        tally.subscriptions = count
        return count
    }
}
