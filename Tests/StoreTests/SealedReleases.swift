@testable import Store

/// A release after secrets were sealed, by the version of its files.
enum SealedRelease: Int64, CaseIterable {
    /// As a start leaves it that is killed before the file is written anew.
    case unfinished = 1
    case first = 2
    /// With notes and figures, without public keys.
    case noted = 3

    /// Gives a file of the present release the tables that this one made, with all its rows.
    func rewrite(_ folder: Folder) throws {
        guard self != .noted else {
            return try folder.execute(
                "ALTER TABLE subscriptions DROP COLUMN public_key; PRAGMA user_version = \(rawValue)"
            )
        }
        try folder.execute(
            """
            DROP INDEX subscriptions_by_device;
            DROP TABLE hours;
            ALTER TABLE subscriptions RENAME TO present;
            CREATE TABLE subscriptions (
                number INTEGER PRIMARY KEY,
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 32),
                device BLOB NOT NULL CHECK (length(device) = 32),
                device_token BLOB NOT NULL CHECK (length(device_token) >= 29),
                private_key BLOB NOT NULL CHECK (length(private_key) >= 29),
                auth BLOB NOT NULL CHECK (length(auth) >= 29),
                label TEXT NOT NULL,
                account TEXT NOT NULL,
                created_at INTEGER NOT NULL,
                badge_count INTEGER NOT NULL DEFAULT 0 CHECK (badge_count BETWEEN 0 AND 2147483647),
                badges_enabled INTEGER NOT NULL DEFAULT 1 CHECK (badges_enabled IN (0, 1)),
                badge_epoch INTEGER NOT NULL DEFAULT 0,
                environment TEXT CHECK (environment IN ('production', 'sandbox')),
                accepted_at INTEGER,
                vapid_key BLOB CHECK (length(vapid_key) = 65)
            ) STRICT;
            INSERT INTO subscriptions SELECT number, id, device, device_token, private_key, auth, label, account,
                created_at, badge_count, badges_enabled, badge_epoch, environment, accepted_at, vapid_key FROM present;
            DROP TABLE present;
            CREATE INDEX subscriptions_by_device ON subscriptions (device, account);
            PRAGMA user_version = \(rawValue);
            """
        )
    }
}
