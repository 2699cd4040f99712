/// Increments that have to be taken back and could not be, because the database took no writes.
///
/// They are in memory alone: what is owed when the process is killed stays in the counter until the app sets it.
struct BadgeDebts {
    private var byRow: [SubscriptionID: Debt] = [:]

    private struct Debt {
        var added: Int
        var epoch: Int64
    }

    /// A handful of rows is what a relay has; the limit is only there so that there is one.
    private static let most = 10_000

    var isEmpty: Bool { byRow.isEmpty }

    /// Owes one increment more; what was owed from before the app last set the counter is void.
    mutating func add(_ increment: BadgeIncrement, of id: SubscriptionID) {
        guard increment.added > 0 else { return }
        if let debt = byRow[id], debt.epoch >= increment.epoch {
            if debt.epoch == increment.epoch { byRow[id]?.added += increment.added }
        } else if byRow[id] != nil || byRow.count < Self.most {
            byRow[id] = Debt(added: increment.added, epoch: increment.epoch)
        }
    }

    /// Takes all of them back; to be called in a transaction, and to be forgotten when it has lasted.
    func pay(in database: Database) throws(StoreError) {
        for (id, debt) in byRow {
            try database.decrement.run([.blob(id.digest), .integer(Int64(debt.added)), .integer(debt.epoch)])
        }
    }
}
