/// What last happened to the pushes of each subscription, while it is not in the database yet.
///
/// In memory, so that a push costs no write of its own; a process that is killed loses what was not written down.
struct DeliveryNotes {
    struct Note {
        var acceptedAt: Int64?
        var failedAt: Int64?
        var failure: String?
    }

    private(set) var byRow: [SubscriptionID: Note] = [:]

    /// The octets of a failure's text at most, which the table's CHECK holds.
    private static let longestFailure = 200

    var isEmpty: Bool { byRow.isEmpty }

    subscript(id: SubscriptionID) -> Note? { byRow[id] }

    mutating func accepted(_ id: SubscriptionID, at time: Int64) {
        byRow[id, default: Note()].acceptedAt = time
    }

    mutating func failed(_ id: SubscriptionID, _ failure: String, at time: Int64) {
        byRow[id, default: Note()].failedAt = time
        byRow[id, default: Note()].failure = Self.shortened(failure)
    }

    /// Keeps the notes on subscriptions that are there still.
    mutating func keep(where isThere: (SubscriptionID) throws(StoreError) -> Bool) throws(StoreError) {
        for id in byRow.keys where try !isThere(id) { byRow[id] = nil }
    }

    /// Writes all of them down; to be called in a transaction, and to be forgotten when it has lasted.
    func write(to database: Database) throws(StoreError) {
        for (id, note) in byRow {
            try database.note.run([
                .blob(id.digest), note.acceptedAt.map(Value.integer), note.failedAt.map(Value.integer),
                note.failure.map(Value.text),
            ])
        }
    }

    /// The text, cut between two characters of Unicode if it is too long.
    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > longestFailure else { return text }
        var short = ""
        var length = 0
        for scalar in text.unicodeScalars {
            length += scalar.utf8.count
            guard length <= longestFailure else { break }
            short.unicodeScalars.append(scalar)
        }
        return short
    }
}
