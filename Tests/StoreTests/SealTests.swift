import Crypto
import Foundation
import Testing

@testable import Store

/// Secrets of rows at rest: what a copy of the files gives away, and which key opens them.
struct SealTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
    }

    /// A value that is easy to find in a file, in the forms that it might lie there.
    private static let secrets: [(name: String, octets: [UInt8])] = [
        ("device token", Array(phone.utf8)), ("device token in octets", [UInt8](repeating: 0xa1, count: 32)),
        ("private key", [UInt8](repeating: 7, count: 32)), ("auth secret", [UInt8](repeating: 9, count: 16)),
        ("id", Array("clear-id_1".utf8)),
    ]

    private func found(in names: [String]) throws -> [String] {
        try names.flatMap { name in
            let content = try folder.octets(name)
            return Self.secrets.filter { content.range(of: Data($0.octets)) != nil }.map { "\($0.name) in \(name)" }
        }
    }

    @Test func `neither the file nor its log holds an endpoint, a key or a token`() async throws {
        let store = try folder.store()
        try await store.register("clear-id_1")
        #expect(try found(in: ["relay.sqlite", "relay.sqlite-wal", "relay.sqlite-shm"]) == [])
        #expect(try folder.octets("relay.sqlite-wal").count > 4_096)
        try await store.execute("VACUUM INTO '\(folder.path("backup"))'")
        try await store.close()
        #expect(try found(in: folder.names()) == [])
        let subscription = try #require(try await folder.store().subscription(id("clear-id_1")))
        #expect(subscription.deviceToken == phone)
        #expect(subscription.privateKey == [UInt8](repeating: 7, count: 32))
        #expect(subscription.authSecret == [UInt8](repeating: 9, count: 16))
    }

    @Test(arguments: Age.allCases, [false, true])
    func `sealing a database of any age leaves nothing of the old values in its file`(
        age: Age,
        isUnfinished: Bool
    ) async throws {
        try folder.execute(age.sql)
        #expect(try !found(in: ["relay.sqlite"]).isEmpty)
        if isUnfinished {
            // As a relay leaves it that is killed after the rows are sealed and before the file is written anew.
            let connection = try Connection(path: folder.path)
            let seal = try Seal(folder.files.keyFile.create())
            try connection.migrate(sealing: seal, now: 0)
        }
        let store = try folder.store()
        #expect(try found(in: folder.names()) == [])
        try await store.close()
        #expect(try found(in: folder.names()) == [])
        #expect(try folder.rows("PRAGMA user_version") == ["4"])
        #expect(try await folder.store().subscription(id("clear-id_1"))?.deviceToken == phone)
    }

    @Test func `what an earlier release deleted without erasing it is gone from the file too`() async throws {
        let trace = "a token of long ago"
        try folder.execute("PRAGMA secure_delete = OFF; \(Age.checked.sql)")
        try folder.execute(
            """
            PRAGMA secure_delete = OFF;
            CREATE TABLE traces (text);
            WITH RECURSIVE number (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM number WHERE n < 2000)
            INSERT INTO traces SELECT '\(trace)' FROM number;
            DROP TABLE traces;
            """
        )
        #expect(try folder.octets().range(of: Data(trace.utf8)) != nil)
        let store = try folder.store()
        for name in try folder.names() {
            #expect(try folder.octets(name).range(of: Data(trace.utf8)) == nil, "\(name)")
        }
        try await store.close()
    }

    @Test(arguments: ["device_token", "private_key", "auth"])
    func `F-34: a value that was moved to another row or has a flipped bit is damage and not another value`(
        column: String
    ) async throws {
        let store = try folder.store()
        try await store.register("one")
        try await store.register("two", on: tablet)
        try await store.register("three", on: tablet, account: "b")
        try await store.execute(
            """
            UPDATE subscriptions SET \(column) = (SELECT \(column) FROM subscriptions WHERE number = 2) WHERE number = 1;
            UPDATE subscriptions SET \(column) = CAST(
                substr(\(column), 1, 28) || iif(substr(\(column), 29, 1) = x'00', x'01', x'00') || substr(\(column), 30)
            AS BLOB) WHERE number = 3;
            """
        )
        for name in ["one", "three"] {
            let error = StoreError.unsealable(column: column, subscription: id(name).shortName)
            await #expect(throws: error) { try await store.subscription(id(name)) }
        }
        #expect(try await store.subscription(id("two"))?.deviceToken == tablet)
    }

    @Test func `a value that was moved to another column is damage`() throws {
        let seal = try Seal(.generate())
        let sealed = try seal.seal([1, 2, 3], .privateKey, of: id("one"))
        #expect(try seal.open(sealed, .privateKey, of: id("one")) == [1, 2, 3])
        #expect(throws: CryptoError.authentication) { try seal.open(sealed, .authSecret, of: id("one")) }
    }

    @Test func `two copies of one secret look nothing alike, and a device is found all the same`() async throws {
        let store = try folder.store()
        try await store.register("one", account: "a")
        try await store.register("two", account: "b")
        #expect(try await store.rows("SELECT count(DISTINCT device_token) FROM subscriptions") == ["2"])
        #expect(try await store.rows("SELECT count(DISTINCT device) FROM subscriptions") == ["1"])
    }

    @Test func `the first start makes a key that its owner alone can read, and later ones keep it`() async throws {
        try await folder.store().close()
        let key = try folder.octets("relay.sqlite.secret-key")
        #expect(try #require(String(bytes: key, encoding: .utf8)).wholeMatch(of: /[0-9a-f]{64}\n/) != nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.files.secretKey)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        try await folder.store().close()
        #expect(try folder.octets("relay.sqlite.secret-key") == key)
        let other = try Folder()
        try await other.store().close()
        #expect(try other.octets("relay.sqlite.secret-key") != key)
    }

    @Test func `a key that the operator made is used`() async throws {
        let hex = String(repeating: "AB", count: 32)
        try Data(hex.utf8).write(to: URL(filePath: folder.files.secretKey))
        let store = try folder.store()
        let key = try #require(SecretKey(hex: Array(hex.utf8)[...]))
        let seal = try Seal(key)
        #expect(
            try await store.rows("SELECT hex(fingerprint) FROM seal") == [Hex.encode(seal.fingerprint).uppercased()]
        )
    }

    private static let otherKeys: [(content: String?, error: StoreError)] = [
        (nil, .missingSecretKey), (String(repeating: "ab", count: 32), .wrongSecretKey),
        ("", .malformedSecretKey), ("\n", .malformedSecretKey),
        (String(repeating: "ab", count: 31), .malformedSecretKey),
        (String(repeating: "ab", count: 32) + "0", .malformedSecretKey),
        (String(repeating: "xy", count: 32), .malformedSecretKey),
    ]

    @Test(arguments: otherKeys)
    func `C-12: with a missing or another key the store does not open, and changes nothing`(
        content: String?,
        error: StoreError
    ) async throws {
        let store = try folder.store()
        try await store.register("one")
        try await store.close()
        try FileManager.default.removeItem(atPath: folder.files.secretKey)
        if let content { try Data(content.utf8).write(to: URL(filePath: folder.files.secretKey)) }
        let names = try folder.names()
        let octets = try names.map(folder.octets)
        #expect(throws: error) { try folder.store() }
        #expect(try folder.names() == names)
        #expect(try names.map(folder.octets) == octets)
    }

    @Test func `a log that is yet to be moved into the file stays as it is with a wrong key`() async throws {
        let store = try folder.store()
        try await store.register("one")
        // A copy of the files of a running relay is what a killed one leaves.
        let copy = try Folder()
        for name in ["relay.sqlite", "relay.sqlite-wal"] {
            try folder.octets(name).write(to: copy.url.appending(path: name))
        }
        try Data(String(repeating: "ab", count: 32).utf8).write(to: URL(filePath: copy.files.secretKey))
        #expect(throws: StoreError.wrongSecretKey) { try copy.store() }
        #expect(try copy.octets("relay.sqlite-wal") == folder.octets("relay.sqlite-wal"))
        #expect(try copy.octets() == folder.octets())
        try folder.octets("relay.sqlite.secret-key").write(to: URL(filePath: copy.files.secretKey))
        #expect(try await copy.store().subscription(id("one")) != nil)
    }

    @Test func `without a row nothing is lost with the key, and a new one is made`() async throws {
        try await folder.store().close()
        try FileManager.default.removeItem(atPath: folder.files.secretKey)
        let store = try folder.store()
        try await store.register("one")
        try await store.close()
        #expect(try await folder.store().subscription(id("one")) != nil)
    }
}
