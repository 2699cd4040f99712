import Crypto
import Foundation
import Testing

@testable import Store

/// What a release wrote, by the columns it had; each age has those of the age before.
enum Age: Int, CaseIterable {
    case first, counts, switches, accounts
    /// Types are checked, all ids are digests, and what Apple said is remembered; the last age before secrets were sealed.
    case checked

    /// The table with three rows: a shouted token and no label, an id in the clear, and an id that is a digest already.
    var sql: String {
        if self == .checked { return checkedSQL }
        let columns = ["badge_count INTEGER NOT NULL DEFAULT 0", "badges_enabled INTEGER NOT NULL DEFAULT 1"]
        let later = (columns + ["account TEXT NOT NULL DEFAULT ''"]).prefix(rawValue).map { ", \($0)" }.joined()
        let set = ["badge_count = 4", "badges_enabled = 0", "account = 'alice'"].prefix(rawValue)
        return """
            CREATE TABLE subscriptions (id TEXT PRIMARY KEY, device_token TEXT NOT NULL, label TEXT,
                private_key BLOB NOT NULL, auth BLOB NOT NULL, created_at TEXT DEFAULT CURRENT_TIMESTAMP\(later));
            INSERT INTO subscriptions (rowid, id, device_token, label, private_key, auth, created_at) VALUES
                (9, 'clear-id_1', '\(phone.uppercased())', NULL, \(key), \(auth), '2026-01-02 03:04:05'),
                (3, '00112233445566778899aabbccddeeff', '\(tablet)', 'my tablet', \(key), \(auth), 1700000000),
                (5, '\(digest)', '\(tablet)', '', \(key), \(auth), 'once upon a time');
            \(set.isEmpty ? "" : "UPDATE subscriptions SET \(set.joined(separator: ", ")) WHERE rowid = 9;")
            """
    }

    private var checkedSQL: String {
        func row(_ number: Int, _ digest: [UInt8], _ token: String, _ rest: String) -> String {
            "(\(number), x'\(Hex.encode(digest))', '\(token)', \(key), \(auth), \(rest))"
        }
        let rows = [
            row(9, id("clear-id_1").digest, phone, "'', 1767323045, 4, 0, 'alice'"),
            row(3, id("00112233445566778899aabbccddeeff").digest, tablet, "'my tablet', 1700000000, 0, 1, ''"),
            row(5, id("abc").digest, tablet, "'', 1800000000, 0, 1, ''"),
        ]
        return """
            PRAGMA journal_mode = WAL;
            CREATE TABLE "subscriptions" (id BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 32),
                device_token TEXT NOT NULL, label TEXT NOT NULL, private_key BLOB NOT NULL, auth BLOB NOT NULL,
                created_at INTEGER NOT NULL,
                badge_count INTEGER NOT NULL DEFAULT 0 CHECK (badge_count BETWEEN 0 AND 2147483647),
                badges_enabled INTEGER NOT NULL DEFAULT 1 CHECK (badges_enabled IN (0, 1)),
                account TEXT NOT NULL DEFAULT '', badge_epoch INTEGER NOT NULL DEFAULT 0,
                environment TEXT CHECK (environment IN ('production', 'sandbox')), accepted_at INTEGER,
                vapid_key BLOB CHECK (length(vapid_key) = 65)) STRICT;
            CREATE TABLE doubtful_deletions (at INTEGER NOT NULL) STRICT;
            CREATE INDEX subscriptions_by_device ON subscriptions (device_token, account);
            INSERT INTO subscriptions (rowid, id, device_token, private_key, auth, label, created_at,
                badge_count, badges_enabled, account) VALUES \(rows.joined(separator: ", "));
            """
    }

    private var key: String { "x'\(String(repeating: "07", count: 32))'" }
    private var auth: String { "x'\(String(repeating: "09", count: 16))'" }
    /// The SHA-256 of "abc", in upper case.
    private var digest: String { "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD" }
}

struct MigrationTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
    }

    @Test(arguments: Age.allCases)
    func `C-11: a database of any age opens, keeps its rows and counts`(age: Age) async throws {
        try folder.execute(age.sql)
        let store = try folder.store(now: 1_800_000_000)

        let shouted = try #require(try await store.subscription(id("clear-id_1")))
        #expect(shouted.deviceToken == phone)
        #expect(shouted.label == "")
        #expect(shouted.createdAt == 1_767_323_045)
        #expect(shouted.privateKey == [UInt8](repeating: 7, count: 32))
        #expect(shouted.authSecret == [UInt8](repeating: 9, count: 16))
        #expect(shouted.badgeCount == (age.rawValue >= 1 ? 4 : 0))
        #expect(shouted.badgesEnabled == (age.rawValue < 2))
        #expect(shouted.account == (age.rawValue >= 3 ? "alice" : ""))
        // Of a token from before nobody knows which of Apple's services takes it, nor whether one ever did.
        #expect(shouted.environment == nil)
        #expect(shouted.acceptedAt == nil)

        let plain = try #require(try await store.subscription(id("00112233445566778899aabbccddeeff")))
        #expect(plain.label == "my tablet")
        #expect(plain.createdAt == 1_700_000_000)
        #expect(try await store.countUp(id("00112233445566778899aabbccddeeff"))?.badge == 1)

        // A date that cannot be read becomes the time of the migration, and a stored digest is kept.
        #expect(try await store.subscription(id("abc"))?.createdAt == 1_800_000_000)
        #expect(try await store.rows("SELECT number FROM subscriptions ORDER BY number") == ["3", "5", "9"])
    }

    @Test(arguments: Age.allCases)
    func `what Apple says is remembered in a database of any age, and migrating again keeps it`(age: Age) async throws {
        try folder.execute(age.sql)
        let store = try folder.store()
        let known = try #require(try await store.subscription(id("clear-id_1")))
        try await store.accepted(known, environment: "sandbox", at: 1_800_000_001)
        let one = id("00112233445566778899aabbccddeeff")
        #expect(try await store.deleteDoubtful(one, deviceToken: tablet, at: 1_800_000_002))
        try await store.close()
        for _ in 1...2 {
            let reopened = try folder.store()
            let subscription = try #require(try await reopened.subscription(id("clear-id_1")))
            #expect(subscription.environment == "sandbox")
            #expect(subscription.acceptedAt == 1_800_000_001)
            #expect(try await reopened.rows("SELECT at FROM doubtful_deletions") == ["1800000002"])
            try await reopened.close()
        }
    }

    @Test func `what the last unsealed release knew of Apple and of the sender is kept`() async throws {
        try folder.execute(Age.checked.sql)
        try folder.execute(
            """
            UPDATE subscriptions SET environment = 'sandbox', accepted_at = 7, badge_epoch = 2,
                vapid_key = x'\(String(repeating: "04", count: 65))' WHERE rowid = 9;
            INSERT INTO doubtful_deletions VALUES (11);
            """
        )
        let store = try folder.store()
        let subscription = try #require(try await store.subscription(id("clear-id_1")))
        #expect(subscription.environment == "sandbox")
        #expect(subscription.acceptedAt == 7)
        #expect(subscription.vapidKey == [UInt8](repeating: 4, count: 65))
        #expect(try await store.countUp(id("clear-id_1"))?.epoch == 2)
        #expect(try await store.rows("SELECT at FROM doubtful_deletions") == ["11"])
    }

    @Test(arguments: Age.allCases)
    func `a database of any age takes the schema of a new one`(age: Age) async throws {
        let schema = "SELECT sql FROM sqlite_schema ORDER BY type, name"
        try folder.execute(age.sql)
        let migrated = try await folder.store().rows(schema)
        let empty = try Folder()
        #expect(try await empty.store().rows(schema) == migrated)
    }

    @Test(arguments: Age.allCases)
    func `a second start changes nothing`(age: Age) async throws {
        try folder.execute(age.sql)
        try await folder.store().close()
        let octets = try folder.octets()

        let store = try folder.store()
        #expect(try await store.rows("SELECT total_changes()") == ["0"])
        try await store.close()
        #expect(try folder.octets() == octets)
    }

    @Test func `registering replaces every subscription that an earlier release left for the pair`() async throws {
        try folder.execute(Age.accounts.sql)
        let store = try folder.store()
        let replaced = try await store.register(registration("new", on: tablet))
        #expect(Set(replaced) == [id("00112233445566778899aabbccddeeff"), id("abc")])
        #expect(try await store.subscription(id("clear-id_1")) != nil)
    }

    @Test(arguments: [
        ("badge_count = -5", "0 1"), ("badge_count = 9223372036854775807", "2147483647 1"),
        ("badge_count = 9e99", "2147483647 1"),
        ("badge_count = 'many'", "0 1"), ("badge_count = NULL, badges_enabled = NULL", "0 1"),
        ("badges_enabled = 7", "0 1"), ("badges_enabled = 0", "0 0"),
    ])
    func `what an earlier release let into a counter is clamped`(assignment: String, counters: String) async throws {
        try folder.execute(
            Age.accounts.sql.replacing("INTEGER NOT NULL", with: "INTEGER")
        )
        try folder.execute(
            "UPDATE subscriptions SET badge_count = 0, badges_enabled = 1; UPDATE subscriptions SET \(assignment)"
        )
        let rows = try await folder.store().rows(
            "SELECT DISTINCT badge_count || ' ' || badges_enabled FROM subscriptions"
        )
        #expect(rows == [counters])
    }

    @Test(arguments: [
        ("id = NULL", "id"), ("id = x'0102'", "id"), ("id = 'abc'", "id"), ("private_key = NULL", "private_key"),
        ("auth = NULL", "auth"), ("device_token = NULL", "device_token"),
    ])
    func `a row without a counterpart is named, and the file stays as it was`(assignment: String, column: String) throws
    {
        try folder.execute(
            Age.accounts.sql.replacing("BLOB NOT NULL", with: "BLOB").replacing("TEXT NOT NULL,", with: "TEXT,")
        )
        try folder.execute("UPDATE subscriptions SET \(assignment) WHERE rowid = 9")
        let octets = try folder.octets()
        #expect(throws: StoreError.unconvertible(column: column, rowid: 9)) { try folder.store() }
        #expect(try folder.octets() == octets)
    }

    @Test(arguments: [
        "id = x'00'", "device = x'00'", "private_key = x'00'", "device_token = 'text'", "badge_count = -1",
        "badge_count = 2147483648", "badges_enabled = 2", "auth = 'text'",
        "environment = 'Sandbox'", "accepted_at = 'never'",
    ])
    func `the table refuses what the code never writes`(assignment: String) async throws {
        let store = try folder.store()
        try await store.register("one")
        await #expect(throws: StoreError.self) { try await store.execute("UPDATE subscriptions SET \(assignment)") }
    }
}
