import Synchronization

extension Store {
    /// Runs everything that writes rows: as one transaction, together with what is still owed to the counters.
    ///
    /// - Parameter isPromised: whether it has to outlive a power cut, and so is synced. What is not goes to the disk with
    ///   the next promise, or when the log is folded in, and whether the files are still in their place is not looked at
    ///   for it: a push has had that looked at when it read its subscription.
    func write<Result>(
        for operation: StoreError.Operation,
        isPromised: Bool = true,
        _ body: (Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let database = try open(isLookedFor: isPromised)
        let tally = database.tally
        do throws(StoreError) {
            try database.syncCommits(isPromised)
            let result = try database.connection.transaction(for: operation) { () throws(StoreError) in
                try debts.pay(in: database)
                return try body(database)
            }
            debts = BadgeDebts()
            hasDoubts.store(database.tally.doubts > 0, ordering: .releasing)
            return result
        } catch {
            database.tally = tally
            health.failed(error)
            throw error
        }
    }

    /// Takes back what is owed, if anything is.
    func payDebts() throws(StoreError) {
        guard !debts.isEmpty else { return }
        try write(for: .badge, isPromised: false) { _ in }
    }
}
