import Crypto

/// Columns that came after the first release and may be missing in a file of its time, in the order they came.
private let laterColumns = [
    ("badge_count", "INTEGER NOT NULL DEFAULT 0"),
    ("badges_enabled", "INTEGER NOT NULL DEFAULT 1"),
    ("account", "TEXT NOT NULL DEFAULT ''"),
    ("badge_epoch", "INTEGER NOT NULL DEFAULT 0"),
    ("environment", "TEXT"),
    ("accepted_at", "INTEGER"),
    ("vapid_key", "BLOB"),
]

extension Connection {
    /// Moves the rows of an unsealed file of any age into the present table, and signs the file.
    ///
    /// All of it is one transaction: the file is of one age or of the other. `now`, in Unix seconds, dates rows that have
    /// no date.
    func migrate(sealing seal: Seal, now: Int64) throws(StoreError) {
        try transaction(for: .migrate) { () throws(StoreError) in
            try execute(
                "DROP INDEX IF EXISTS subscriptions_by_device; ALTER TABLE subscriptions RENAME TO earlier_subscriptions",
                for: .migrate
            )
            let present = try prepare("SELECT name FROM pragma_table_info('earlier_subscriptions')", for: .migrate)
                .all { $0.text(0) }
            for (name, definition) in laterColumns where !present.contains(name) {
                try execute("ALTER TABLE earlier_subscriptions ADD COLUMN \(name) \(definition)", for: .migrate)
            }
            try execute(Schema.subscriptions, for: .migrate)
            try convertRows(sealing: seal, now: now)
            try execute("DROP TABLE earlier_subscriptions", for: .migrate)
            try addMissing()
            try setSeal(seal)
            try setVersion(Schema.Version.sealed)
        }
    }

    /// Brings a sealed file of an earlier version up to date; a second time it changes nothing.
    func extend(_ kind: Kind) throws(StoreError) {
        try transaction(for: .migrate) { () throws(StoreError) in
            try addMissing()
            // Else it takes its version once it is compact.
            if kind.isCompact { try setVersion(Schema.Version.current) }
        }
    }

    /// Adds what the tables of a sealed file lack.
    func addMissing() throws(StoreError) {
        let present = try prepare("SELECT name FROM pragma_table_info('subscriptions')", for: .migrate)
            .all { $0.text(0) }
        for (name, definition) in Schema.addedColumns where !present.contains(name) {
            try execute("ALTER TABLE subscriptions ADD COLUMN \(name) \(definition)", for: .migrate)
        }
        try execute(Schema.others, for: .migrate)
    }

    /// Writes a file anew that was sealed in place, so that nothing from before is left in it or in its log.
    func compact() throws(StoreError) {
        try execute("VACUUM", for: .migrate)
        try checkpoint(for: .migrate)
        try setVersion(Schema.Version.current)
    }

    /// Copies every row of the earlier table, or none: a row left out would be a phone that falls silent.
    private func convertRows(sealing seal: Seal, now: Int64) throws(StoreError) {
        let earlier = try prepare(
            """
            SELECT rowid, id, lower(device_token), CAST(private_key AS BLOB), CAST(auth AS BLOB),
                label, account,
                coalesce(iif(typeof(created_at) = 'integer', created_at, unixepoch(created_at, 'auto')), ?1),
                min(max(CAST(badge_count AS INTEGER), 0), 2147483647),
                coalesce(CAST(badges_enabled AS INTEGER), 1) <> 0,
                badge_epoch, environment, accepted_at, vapid_key
            FROM earlier_subscriptions ORDER BY rowid
            """,
            for: .migrate
        )
        let insert = try prepare(
            """
            INSERT INTO subscriptions (number, id, device, device_token, private_key, auth, label, account, created_at,
                badge_count, badges_enabled, badge_epoch, environment, accepted_at, vapid_key)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
            """,
            for: .migrate
        )
        try earlier.all([.integer(now)]) { row throws(StoreError) in
            let rowid = row.integer(0)
            guard let id = row.value(1).flatMap(storedDigest).map(SubscriptionID.init(digest:)) else {
                throw .unconvertible(column: "id", rowid: rowid)
            }
            let secrets = try secrets(in: row, of: id, rowid: rowid, sealing: seal)
            // A label, counter or account that is NULL reads as "" or 0, which is what it meant.
            let values: [Value?] = [
                .integer(rowid), .blob(id.digest), secrets.device, secrets.deviceToken, secrets.privateKey,
                secrets.authSecret,
                .text(row.text(5)), .text(row.text(6)), .integer(row.integer(7)), .integer(row.integer(8)),
                .integer(row.integer(9)), .integer(row.integer(10)), row.value(11), row.value(12), row.value(13),
            ]
            do throws(StoreError) {
                try insert.run(values)
            } catch .constraint(let cause) {
                // Whatever is not null was put into range above but for these, so else it is an id that an earlier row has.
                let column = ["environment", "vapid_key"].first { cause.message.contains($0) } ?? "id"
                throw .unconvertible(column: column, rowid: rowid)
            }
        }
    }

    /// What is secret in an earlier row, as it is to be stored.
    private func secrets(
        in row: borrowing Row,
        of id: SubscriptionID,
        rowid: Int64,
        sealing seal: Seal
    ) throws(StoreError) -> Seal.Secrets {
        guard case .text(let deviceToken)? = row.value(2) else {
            throw .unconvertible(column: "device_token", rowid: rowid)
        }
        guard case .blob(let privateKey)? = row.value(3) else {
            throw .unconvertible(column: "private_key", rowid: rowid)
        }
        guard case .blob(let auth)? = row.value(4) else { throw .unconvertible(column: "auth", rowid: rowid) }
        return try seal.secrets(deviceToken: deviceToken, privateKey: privateKey, authSecret: auth, of: id)
    }
}

/// The digest to store for an id of an earlier release: of the id in the clear, or the digest itself, in octets or hex.
private func storedDigest(of id: Value) -> [UInt8]? {
    switch id {
    case .blob(let octets): octets.count == 32 ? octets : nil
    case .text(let text):
        if text.utf8.count == 64, let digest = Hex.decode(text.utf8) { digest } else { SHA256.digest(Array(text.utf8)) }
    case .integer: nil
    }
}
