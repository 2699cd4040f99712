import Crypto

/// Columns that came after the first release, in the order they came; a new one goes at the end.
private let laterColumns = [
    ("badge_count", "INTEGER NOT NULL DEFAULT 0 CHECK (badge_count BETWEEN 0 AND 2147483647)"),
    ("badges_enabled", "INTEGER NOT NULL DEFAULT 1 CHECK (badges_enabled IN (0, 1))"),
    ("account", "TEXT NOT NULL DEFAULT ''"),
    // Counts how often the app set the counter, so that a push which fails later knows not to touch it.
    ("badge_epoch", "INTEGER NOT NULL DEFAULT 0"),
    // Which of Apple's two services knows the device token; NULL until that is known.
    ("environment", "TEXT CHECK (environment IN ('production', 'sandbox'))"),
    // When Apple first accepted a push for the device token; NULL before.
    ("accepted_at", "INTEGER"),
    // The public key that the sender's tokens have to be signed with; NULL lets anybody send who knows the endpoint.
    ("vapid_key", "BLOB CHECK (length(vapid_key) = 65)"),
]

extension Connection {
    /// Brings a file of any age, or an empty one, to the present schema; a second run changes nothing.
    ///
    /// A new file goes through the same steps as an old one, so each start exercises them. All of them are one
    /// transaction: the file is of one age or of the other. `now`, in Unix seconds, dates rows that have no date.
    func migrate(now: Int64) throws(StoreError) {
        try transaction(for: .migrate) { () throws(StoreError) in
            try createTable()
            if try !isStrict() {
                try execute("ALTER TABLE subscriptions RENAME TO earlier_subscriptions", for: .migrate)
                try createTable()
                try convertRows(now: now)
                try execute("DROP TABLE earlier_subscriptions", for: .migrate)
            }
            // When a subscription was deleted because Apple did not know its token, with nothing accepted since.
            try execute("CREATE TABLE IF NOT EXISTS doubtful_deletions (at INTEGER NOT NULL) STRICT", for: .migrate)
            // Not unique: files of earlier releases may hold a pair twice, until the app registers it again.
            try execute(
                "CREATE INDEX IF NOT EXISTS subscriptions_by_device ON subscriptions (device_token, account)",
                for: .migrate
            )
        }
    }

    /// Creates what is missing, and only that: the table of the first release, then each later column.
    private func createTable() throws(StoreError) {
        try execute(
            """
            CREATE TABLE IF NOT EXISTS subscriptions (
                id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 32),
                device_token TEXT NOT NULL,
                label TEXT NOT NULL,
                private_key BLOB NOT NULL,
                auth BLOB NOT NULL,
                created_at INTEGER NOT NULL
            ) STRICT
            """,
            for: .migrate
        )
        let present = try prepare("SELECT name FROM pragma_table_info('subscriptions')", for: .migrate)
            .all { $0.text(0) }
        for (name, definition) in laterColumns where !present.contains(name) {
            try execute("ALTER TABLE subscriptions ADD COLUMN \(name) \(definition)", for: .migrate)
        }
    }

    /// Whether the table is of a release that had its types checked; before, ids were also stored in the clear.
    private func isStrict() throws(StoreError) -> Bool {
        try prepare("SELECT strict FROM pragma_table_list('subscriptions') WHERE schema = 'main'", for: .migrate)
            .first { $0.integer(0) != 0 } ?? false
    }

    /// Copies every row of the earlier table, or none: a row left out would be a phone that falls silent.
    private func convertRows(now: Int64) throws(StoreError) {
        let earlier = try prepare(
            """
            SELECT rowid, id, lower(device_token), CAST(private_key AS BLOB), CAST(auth AS BLOB),
                label,
                coalesce(iif(typeof(created_at) = 'integer', created_at, unixepoch(created_at, 'auto')), ?1),
                min(max(CAST(badge_count AS INTEGER), 0), 2147483647),
                coalesce(CAST(badges_enabled AS INTEGER), 1) <> 0,
                account
            FROM earlier_subscriptions ORDER BY rowid
            """,
            for: .migrate
        )
        let insert = try prepare(
            """
            INSERT INTO subscriptions (rowid, id, device_token, private_key, auth,
                label, created_at, badge_count, badges_enabled, account)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """,
            for: .migrate
        )
        try earlier.all([.integer(now)]) { row throws(StoreError) in
            let rowid = row.integer(0)
            guard let digest = row.value(1).flatMap(storedDigest) else {
                throw .unconvertible(column: "id", rowid: rowid)
            }
            var values: [Value] = [.integer(rowid), .blob(digest)]
            for (column, name) in [(Int32(2), "device_token"), (3, "private_key"), (4, "auth")] {
                guard let value = row.value(column) else { throw .unconvertible(column: name, rowid: rowid) }
                values.append(value)
            }
            // A label, counter or account that is NULL reads as "" or 0, which is what it meant.
            values += [.text(row.text(5)), .integer(row.integer(6)), .integer(row.integer(7))]
            values += [.integer(row.integer(8)), .text(row.text(9))]
            do throws(StoreError) {
                try insert.run(values)
            } catch .constraint {
                // Whatever is not null was put into range above, so this is an id that an earlier row has.
                throw .unconvertible(column: "id", rowid: rowid)
            }
        }
    }
}

/// The digest to store for an id of an earlier release: of the id in the clear, or the digest itself, in octets or hex.
private func storedDigest(of id: Value) -> [UInt8]? {
    switch id {
    case .blob(let octets): octets.count == 32 ? octets : nil
    case .text(let text): octets(hex: Array(text.utf8)) ?? SHA256.digest(Array(text.utf8))
    case .integer: nil
    }
}

/// The 32 octets that exactly 64 hex digits, of either case, stand for.
private func octets(hex: [UInt8]) -> [UInt8]? {
    guard hex.count == 64 else { return nil }
    var octets: [UInt8] = []
    for index in stride(from: 0, to: 64, by: 2) {
        guard let high = digit(hex[index]), let low = digit(hex[index + 1]) else { return nil }
        octets.append(high << 4 | low)
    }
    return octets
}

private func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
}
