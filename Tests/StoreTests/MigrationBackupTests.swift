import Foundation
import Testing

@testable import Store

/// The copy that is kept before a file is brought up to date.
struct MigrationBackupTests {
    let folder: Folder
    let files: StoreFiles

    init() throws {
        folder = try Folder()
        files = StoreFiles(database: folder.path, backups: folder.path("backups"))
    }

    private func open(now: Int64 = 1_796_083_199) throws -> Store {
        try Store(files, busyTimeout: 0, now: now)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path("backups")).sorted()
    }

    @Test func `a sealed file is copied as it was, and the copy is a backup of its version`() async throws {
        let first = try open()
        #expect(first.migrationBackup == nil)
        try await first.register("one")
        try await first.close()
        #expect(try !folder.names().contains("backups"))
        try SealedRelease.first.rewrite(folder)

        let store = try open()
        let path = folder.path("backups/before-version-4-20261130T235959Z.sqlite")
        #expect(store.migrationBackup == MigrationBackup(path: path, isUnsealed: false))
        let copy = try Connection(frozen: path)
        #expect(try copy.pragma("user_version") == 2)
        #expect(try copy.kind() == .sealed(version: 2))
        #expect(try copy.countRows() == 1)
        try await store.close()
        #expect(try open().migrationBackup == nil)
        #expect(try names() == ["before-version-4-20261130T235959Z.sqlite"])
    }

    @Test(arguments: Age.allCases)
    func `a file in which nothing is sealed is copied too, for its owner alone, and its name says so`(age: Age)
        async throws
    {
        try folder.execute(age.sql)
        let store = try open()
        let path = folder.path("backups/before-version-4-unsealed-20261130T235959Z.sqlite")
        #expect(store.migrationBackup == MigrationBackup(path: path, isUnsealed: true))
        #expect(try await store.subscription(id("clear-id_1"))?.deviceToken == phone)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)

        // The way back: the copy is migrated like the file that it was made of.
        let other = try Folder()
        try FileManager.default.copyItem(atPath: path, toPath: other.path)
        #expect(try await other.store().subscription(id("clear-id_1"))?.deviceToken == phone)
        #expect(try await other.store().count() == 3)
    }

    @Test func `a copy in the clear is told of until it is deleted, and no other file is`() async throws {
        let directory = try #require(files.backups)
        #expect(try directory.unsealed() == [])
        try folder.execute(Age.checked.sql)
        try await open().close()
        let path = folder.path("backups/before-version-4-unsealed-20261130T235959Z.sqlite")
        for name in ["before-version-4-20261130T235959Z.sqlite", "relay-20261130T235959Z.sqlite", "unsealed"] {
            try Data().write(to: folder.url.appending(path: "backups/\(name)"))
        }
        let store = try open()
        #expect(store.migrationBackup == nil)
        #expect(try directory.unsealed() == [path])
        try FileManager.default.removeItem(atPath: path)
        #expect(try directory.unsealed() == [])
    }

    @Test func `rows that are in the log alone are in the copy`() async throws {
        try folder.execute(Age.checked.sql)
        let writer = try Connection(path: folder.path)
        try writer.execute("UPDATE subscriptions SET label = 'in the log'", for: .check)
        #expect(folder.files.hasLog)
        let store = try open()
        let copy = try Connection(frozen: try #require(store.migrationBackup).path)
        let labels = try copy.prepare("SELECT DISTINCT label FROM subscriptions", for: .read).all { $0.text(0) }
        #expect(labels == ["in the log"])
        withExtendedLifetime(writer) {}
    }

    @Test func `where no copy can be made the file stays as it was and the start says why`() throws {
        try folder.execute(Age.checked.sql)
        let octets = try folder.octets()
        try Data("no directory".utf8).write(to: folder.url.appending(path: "backups"))
        let error = #expect(throws: StoreError.self) { try open() }
        guard case .notBackedUp(folder.path("backups"), _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try folder.octets() == octets)
    }

    @Test func `starts that fail over and over make one copy, and another once the file has changed`() throws {
        try folder.execute(Age.accounts.sql.replacing("BLOB NOT NULL", with: "BLOB"))
        try folder.execute("UPDATE subscriptions SET auth = NULL WHERE rowid = 9")
        for attempt in 0..<3 as Range<Int64> {
            #expect(throws: StoreError.unconvertible(column: "auth", rowid: 9)) { try open(now: attempt) }
        }
        #expect(try names() == ["before-version-4-unsealed-19700101T000000Z.sqlite"])
        try folder.execute("DELETE FROM subscriptions WHERE rowid = 9")
        #expect(try open(now: 7).migrationBackup?.path.hasSuffix("-19700101T000007Z.sqlite") == true)
        #expect(try names().count == 2)
    }

    @Test func `a file of another program, a later release or another key is not copied`() async throws {
        let store = try open()
        try await store.register("one")
        try await store.close()
        try SealedRelease.first.rewrite(folder)
        try Data(String(repeating: "ab", count: 32).utf8).write(to: URL(filePath: files.secretKey))
        #expect(throws: StoreError.wrongSecretKey) { try open() }
        try folder.execute("PRAGMA user_version = 5")
        #expect(throws: StoreError.newer(version: 5)) { try open() }
        #expect(try !folder.names().contains("backups"))
    }
}
