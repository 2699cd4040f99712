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

    /// Drops the note on a subscription that is not there any more.
    mutating func forget(_ id: SubscriptionID) {
        byRow[id] = nil
    }

    /// Hands over all of them, to be written down.
    mutating func take() -> DeliveryNotes {
        defer { self = DeliveryNotes() }
        return self
    }

    /// Takes back what could not be written down; of each kind the newer one stays.
    mutating func putBack(_ taken: DeliveryNotes) {
        byRow.merge(taken.byRow) { newer, older in
            let failure = newer.failedAt == nil ? older : newer
            return Note(
                acceptedAt: newer.acceptedAt ?? older.acceptedAt,
                failedAt: failure.failedAt,
                failure: failure.failure
            )
        }
    }

    /// Writes all of them down; to be called in a transaction.
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
