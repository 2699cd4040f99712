/// The connection and everything it is ever asked, compiled once: all SQL on rows stands here.
///
/// A class so that closing is letting go of it. Not Sendable: it never leaves the actor that made it.
final class Database {
    let connection: Connection
    let seal: Seal
    /// The files that this is the content of.
    let identity: FileIdentity
    /// Whether there was no database before.
    let isNew: Bool
    /// The copy that was kept of the file as it was before.
    let migrationBackup: MigrationBackup?
    let find: Statement
    let removePair: Statement
    let insert: Statement
    let evict: Statement
    let delete: Statement
    let setBadge: Statement
    let setBadgesEnabled: Statement
    let increment: Statement
    let badge: Statement
    let decrement: Statement
    let findProof: Statement
    let deleteToken: Statement
    let accept: Statement
    let forgetOldDoubts: Statement
    let addDoubt: Statement
    let clearDoubts: Statement
    let exists: Statement
    let note: Statement
    let addHour: Statement
    let forgetOldHours: Statement
    /// Held from the first backup on: those of another relay in the same directory would be taken for this one's.
    private var backups: FileLock?
    /// How much there is of what nobody wants to count each time; ``Store/write(for:isPromised:_:)`` keeps it true.
    var tally = Tally()
    /// As ``Connection/configure(busyTimeout:)`` leaves it.
    private var syncsCommits = true
    /// The last, so that it is let go of when everything above is closed.
    private let lock: FileLock

    /// Opens the files, or makes them, and brings them up to date; `busyTimeout` in milliseconds, `now` in Unix seconds.
    ///
    /// What it refuses to open it leaves as it was.
    init(_ files: StoreFiles, busyTimeout: Int32, now: Int64) throws(StoreError) {
        let isPresent = try files.isPresent()
        lock = try FileLock(files.lock, owner: files.database)
        files.removeRestored()
        if !isPresent {
            guard try !lock.isMarked() else { throw .lost(path: files.database) }
            try Self.create(files)
        }
        isNew = !isPresent
        let hasLog = files.hasLog
        // SQLite would take the log for this file's, whatever file it was written for.
        if hasLog, try lock.isReplaced(files.database) { throw .staleLog(path: files.database + "-wal") }
        connection = try Connection(path: files.database)
        try connection.foldLogOnClose(!hasLog)
        try connection.configure(busyTimeout: busyTimeout)
        let kind = try connection.kind()
        // A file that is as the last relay left it, which had no reason to doubt it, is not read through again. Asked after
        // it was first read: the journal of another program would be rolled back by that, and not go unnoticed.
        let isAsLeft = try lock.isAsLeft(files.database)
        if !isAsLeft || hasLog || !kind.isCurrent { try connection.checkStructure() }
        let secretKey = files.keyFile
        let keys = try secretKey.read()
        if kind != .unsealed { try connection.requireKey(among: keys) }
        // All that may refuse the file is asked, and nothing written yet: what a crash leaves is to be read through.
        try lock.forget()
        seal = try connection.unlock(kind, with: keys, of: secretKey)
        files.protect()
        migrationBackup = kind.isCurrent ? nil : try files.backups?.keep(connection, kind, now: now)
        if kind == .unsealed {
            try connection.migrate(sealing: seal, now: now)
        } else if !kind.isCurrent {
            try connection.extend(kind)
        }
        // After all that may refuse the file, because it writes to it.
        try connection.useWriteAheadLog()
        try connection.foldLogOnClose(true)
        if !kind.isCompact { try connection.compact() }
        try lock.mark(files.database)
        if keys?.count == 2 { try Self.finishRotation(connection, secretKey, seal) }
        // The first transaction makes the log.
        try connection.transaction(for: .open) {}
        identity = FileIdentity([files.database, files.database + "-wal"])

        find = try connection.prepare(
            """
            SELECT device_token, account, label, private_key, auth, badge_count, badges_enabled, created_at,
                environment, accepted_at, vapid_key, public_key
            FROM subscriptions WHERE id = ?1
            """,
            for: .read
        )
        removePair = try connection.prepare(
            "DELETE FROM subscriptions WHERE device = ?1 AND account = ?2 RETURNING id",
            for: .register
        )
        insert = try connection.prepare(
            """
            INSERT INTO subscriptions (id, device, device_token, account, label, private_key, auth, created_at,
                environment, accepted_at, vapid_key, public_key)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """,
            for: .register
        )
        // Nine at most beside the new one, which is spared by its id: after a clock is set back it is not the youngest.
        evict = try connection.prepare(
            """
            DELETE FROM subscriptions WHERE number IN (
                SELECT number FROM subscriptions WHERE device = ?1 AND id <> ?2
                ORDER BY created_at DESC, number DESC LIMIT -1 OFFSET 9
            ) RETURNING id
            """,
            for: .register
        )
        delete = try connection.prepare("DELETE FROM subscriptions WHERE id = ?1", for: .delete)
        setBadge = try connection.prepare(
            "UPDATE subscriptions SET badge_count = ?2, badge_epoch = badge_epoch + 1 WHERE id = ?1",
            for: .badge
        )
        setBadgesEnabled = try connection.prepare(
            "UPDATE subscriptions SET badges_enabled = ?2 WHERE id = ?1",
            for: .badge
        )
        // At the cap there is nothing to add, and then nothing to take back either: the row stays untouched.
        increment = try connection.prepare(
            "UPDATE subscriptions SET badge_count = badge_count + 1 WHERE id = ?1 AND badge_count < 2147483647",
            for: .badge
        )
        // Each term is below 2^31, so no number of rows that fits on a disk overflows the sum before it is capped.
        badge = try connection.prepare(
            """
            SELECT badges_enabled, badge_epoch, (
                SELECT min(sum(sibling.badge_count), 2147483647) FROM subscriptions AS sibling
                WHERE sibling.device = subscriptions.device AND sibling.badges_enabled
            ) FROM subscriptions WHERE id = ?1
            """,
            for: .badge
        )
        decrement = try connection.prepare(
            "UPDATE subscriptions SET badge_count = max(badge_count - ?2, 0) WHERE id = ?1 AND badge_epoch = ?3",
            for: .badge
        )
        findProof = try connection.prepare(
            """
            SELECT environment, accepted_at FROM subscriptions
            WHERE device = ?1 AND accepted_at IS NOT NULL ORDER BY accepted_at DESC LIMIT 1
            """,
            for: .register
        )
        // By token as well: an id is never given twice, but that this is so should not be what a phone depends on.
        deleteToken = try connection.prepare(
            "DELETE FROM subscriptions WHERE id = ?1 AND device = ?2",
            for: .delete
        )
        // Of the device's other subscriptions those that the app has said nothing else about: a token has one service.
        accept = try connection.prepare(
            """
            UPDATE subscriptions SET environment = coalesce(?3, environment), accepted_at = coalesce(accepted_at, ?4)
            WHERE device = ?2
                AND (id = ?1 OR accepted_at IS NULL AND (environment IS NULL OR environment = ?3))
            """,
            for: .badge
        )
        forgetOldDoubts = try connection.prepare("DELETE FROM doubtful_deletions WHERE at <= ?1", for: .delete)
        addDoubt = try connection.prepare("INSERT INTO doubtful_deletions (at) VALUES (?1)", for: .delete)
        clearDoubts = try connection.prepare("DELETE FROM doubtful_deletions", for: .delete)
        exists = try connection.prepare("SELECT 1 FROM subscriptions WHERE id = ?1", for: .read)
        note = try connection.prepare(
            """
            UPDATE subscriptions SET last_accepted_at = coalesce(?2, last_accepted_at),
                last_failed_at = coalesce(?3, last_failed_at), last_failure = coalesce(?4, last_failure)
            WHERE id = ?1
            """,
            for: .note
        )
        // What the sums come to is far from overflowing: each figure is limited before it is added.
        addHour = try connection.prepare(
            """
            INSERT INTO hours (hour, accepted, repeated, gone, refused, limited, failed,
                latency_count, latency_milliseconds, latency_most)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT (hour) DO UPDATE SET
                accepted = accepted + excluded.accepted, repeated = repeated + excluded.repeated,
                gone = gone + excluded.gone, refused = refused + excluded.refused,
                limited = limited + excluded.limited, failed = failed + excluded.failed,
                latency_count = latency_count + excluded.latency_count,
                latency_milliseconds = latency_milliseconds + excluded.latency_milliseconds,
                latency_most = max(latency_most, excluded.latency_most)
            """,
            for: .note
        )
        forgetOldHours = try connection.prepare("DELETE FROM hours WHERE hour <= ?1 - ?2", for: .note)
        tally.doubts = try connection.countDoubts()
    }

    /// Keeps the directory of the backups to this relay for as long as it runs.
    func hold(_ directory: BackupDirectory) throws(StoreError) {
        if backups == nil { backups = try directory.lock() }
    }

    /// Spares the next start a look through the whole file, where the log was folded into it and nothing speaks for one.
    ///
    /// To close it afterwards writes nothing more; if it did, the next start would see that.
    func leaveInOrder() {
        guard !connection.soundness.isInDoubt else { return }
        // Without the note all that happens is the look.
        do throws(StoreError) { try lock.leave(connection.path) } catch {}
    }

    /// Whether commits from now on are synced before they return; not to be called within a transaction.
    func syncCommits(_ isWanted: Bool) throws(StoreError) {
        guard isWanted != syncsCommits else { return }
        // With a log, both leave a sound file behind a power cut: NORMAL syncs when the log is folded in.
        try connection.execute("PRAGMA synchronous = \(isWanted ? "FULL" : "NORMAL")", for: .badge)
        syncsCommits = isWanted
    }

    /// Takes the key out of the file that nothing is sealed with, after a rotation that was cut short.
    private static func finishRotation(
        _ connection: borrowing Connection,
        _ file: SecretKeyFile,
        _ seal: Seal
    ) throws(StoreError) {
        // What decides which key fits has to be on the disk first: recovery alone syncs nothing.
        try connection.checkpoint(for: .rotate)
        // Where the file cannot be written it has been put there by somebody else, who will put the next one there too.
        do throws(StoreError) { try file.write([seal.key]) } catch {}
    }

    /// Makes a new database under another name first: one that was begun and not finished never bears the name.
    private static func create(_ files: StoreFiles) throws(StoreError) {
        files.removeDraft()
        do {
            let connection = try Connection(path: files.draft, creating: true)
            try connection.configure(busyTimeout: 0)
            try connection.createSchema()
        }
        try files.publishDraft()
    }
}
