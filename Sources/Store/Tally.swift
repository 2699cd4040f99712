/// How many rows there are of a kind, as this connection sees the file: there is no other that writes to it.
struct Tally {
    /// Subscriptions; nil until somebody asks, since to count them takes the longer the more there are.
    var subscriptions: Int64?
    /// Deletions that may have been a mistake, as ``Store/deleteDoubtful(_:deviceToken:at:)`` counts them.
    var doubts: Int64 = 0
}

extension Connection {
    func countDoubts() throws(StoreError) -> Int64 {
        try prepare("SELECT count(*) FROM doubtful_deletions", for: .open).first { $0.integer(0) } ?? 0
    }
}
