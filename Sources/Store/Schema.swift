/// The tables as they are now, and how a file is known to be the relay's.
enum Schema {
    /// `PRAGMA application_id`, which is "RLAY".
    static let applicationID: Int64 = 0x524C_4159

    /// `PRAGMA user_version`, which is 0 in files of the first releases.
    enum Version {
        /// Sealed, but values from before may still lie in unused parts of the file.
        static let sealed: Int64 = 1
        /// Sealed, and written anew since.
        static let compact: Int64 = 2
        /// With what the operator wants to see (the last pushes of a subscription, figures by the hour), which is 3,
        /// and with public keys.
        static let current: Int64 = 4
    }

    /// What the columns hold is sealed with ``Seal`` where their comment says so.
    static let subscriptions = """
        CREATE TABLE subscriptions (
            number INTEGER PRIMARY KEY,
            -- The SHA-256 of the id in the endpoint.
            id BLOB NOT NULL UNIQUE CHECK (length(id) = 32),
            -- The same for all rows of one device, and says nothing about its token.
            device BLOB NOT NULL CHECK (length(device) = 32),
            -- Sealed.
            device_token BLOB NOT NULL CHECK (length(device_token) >= 29),
            -- Sealed: 32 octets.
            private_key BLOB NOT NULL CHECK (length(private_key) >= 29),
            -- Sealed: 16 octets.
            auth BLOB NOT NULL CHECK (length(auth) >= 29),
            label TEXT NOT NULL,
            account TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            badge_count INTEGER NOT NULL DEFAULT 0 CHECK (badge_count BETWEEN 0 AND 2147483647),
            badges_enabled INTEGER NOT NULL DEFAULT 1 CHECK (badges_enabled IN (0, 1)),
            -- Counts how often the app set the counter, so that a push which fails later knows not to touch it.
            badge_epoch INTEGER NOT NULL DEFAULT 0,
            -- Which of Apple's two services knows the device token; NULL until that is known.
            environment TEXT CHECK (environment IN ('production', 'sandbox')),
            -- When Apple first accepted a push for the device token; NULL before.
            accepted_at INTEGER,
            -- The public key that the sender's tokens have to be signed with; NULL lets anybody send.
            vapid_key BLOB CHECK (length(vapid_key) = 65)
        ) STRICT
        """

    /// Columns that came after the table above; each is added to a new table too, so that all files have one schema.
    static let addedColumns = [
        // When Apple last accepted a push of this subscription; NULL before.
        ("last_accepted_at", "INTEGER"),
        // When one last failed, and why in a few words; NULL before.
        ("last_failed_at", "INTEGER"),
        ("last_failure", "TEXT CHECK (length(CAST(last_failure AS BLOB)) <= 200)"),
        // The public point of the private key, which everybody may know; NULL in a row from before there was the column.
        ("public_key", "BLOB CHECK (length(public_key) = 65)"),
    ]

    /// Everything beside the subscriptions; it may be there already.
    static let others = """
        -- Not unique: files of earlier releases may hold a pair twice, until the app registers it again.
        CREATE INDEX IF NOT EXISTS subscriptions_by_device ON subscriptions (device, account);
        -- When a subscription was deleted because Apple did not know its token, with nothing accepted since.
        CREATE TABLE IF NOT EXISTS doubtful_deletions (at INTEGER NOT NULL) STRICT;
        -- Names the key that the rows are sealed with; one row once there is a key.
        CREATE TABLE IF NOT EXISTS seal (fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 16)) STRICT;
        -- What happened in an hour, which is its Unix seconds divided by 3,600.
        CREATE TABLE IF NOT EXISTS hours (
            hour INTEGER PRIMARY KEY,
            -- Pushes by outcome.
            accepted INTEGER NOT NULL CHECK (accepted >= 0),
            repeated INTEGER NOT NULL CHECK (repeated >= 0),
            gone INTEGER NOT NULL CHECK (gone >= 0),
            refused INTEGER NOT NULL CHECK (refused >= 0),
            limited INTEGER NOT NULL CHECK (limited >= 0),
            failed INTEGER NOT NULL CHECK (failed >= 0),
            -- From receipt to acceptance: of how many, the sum and the longest.
            latency_count INTEGER NOT NULL CHECK (latency_count >= 0),
            latency_milliseconds INTEGER NOT NULL CHECK (latency_milliseconds >= 0),
            latency_most INTEGER NOT NULL CHECK (latency_most >= 0)
        ) STRICT;
        """
}

extension Connection {
    /// What a file turns out to be before anything in it is changed.
    enum Kind: Equatable {
        /// A file of one of the first releases, in which nothing is sealed.
        case unsealed
        /// A file in which all secrets are sealed, of a version up to the present one.
        case sealed(version: Int64)

        /// Whether nothing that was ever in the clear is left in it.
        var isCompact: Bool {
            if case .sealed(Schema.Version.compact...) = self { true } else { false }
        }

        var isCurrent: Bool { self == .sealed(version: Schema.Version.current) }
    }

    /// Tells a file of the relay's from all others.
    func kind() throws(StoreError) -> Kind {
        let version = try pragma("user_version")
        switch (try pragma("application_id"), version) {
        case (Schema.applicationID, ...0): throw .foreign
        case (Schema.applicationID, ...Schema.Version.current): return .sealed(version: version)
        case (Schema.applicationID, _): throw .newer(version: version)
        case (0, 0):
            let columns = try prepare("SELECT name FROM pragma_table_info('subscriptions')", for: .open)
                .all { $0.text(0) }
            guard Set(columns).isSuperset(of: ["id", "device_token", "label", "private_key", "auth", "created_at"])
            else { throw .foreign }
            return .unsealed
        default: throw .foreign
        }
    }

    /// Makes the tables of a new file, all or none.
    func createSchema() throws(StoreError) {
        try transaction(for: .migrate) { () throws(StoreError) in
            try execute(Schema.subscriptions, for: .migrate)
            try addMissing()
            try setVersion(Schema.Version.current)
        }
    }

    /// Signs the file as the relay's, of a version.
    func setVersion(_ version: Int64) throws(StoreError) {
        try execute(
            "PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(version)",
            for: .migrate
        )
    }

    /// A number in the header of the file.
    func pragma(_ name: String) throws(StoreError) -> Int64 {
        try prepare("PRAGMA \(name)", for: .open).first { $0.integer(0) } ?? 0
    }
}
