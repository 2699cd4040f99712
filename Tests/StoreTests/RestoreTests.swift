import Foundation
import Testing

@testable import Store

struct RestoreTests {
    private let files: RestoreFiles
    private var folder: Folder { files.folder }
    private let aside = RestoreFiles.aside

    init() throws {
        files = try RestoreFiles()
    }

    private func expectRefused(_ flaw: BackupFlaw, at location: SourceLocation = #_sourceLocation) throws {
        let names = try folder.names()
        let octets = try names.map(folder.octets)
        let others = try files.elsewhere.names()
        let error = StoreError.unusableBackup(path: StoreFiles(database: files.backup).database, flaw)
        #expect(throws: error, sourceLocation: location) { try files.restore() }
        #expect(try folder.names() == names, sourceLocation: location)
        #expect(try names.map(folder.octets) == octets, sourceLocation: location)
        #expect(try files.elsewhere.names() == others, sourceLocation: location)
    }

    // MARK: - The drill

    @Test func `with a backup and the secret key everything comes back after all else is lost`() async throws {
        let store = try folder.store()
        for number in 0..<50 {
            try await store.register("\(number)", on: "\(number % 7)", account: "\(number)", at: Int64(number))
            try await store.setBadge(id("\(number)"), to: Int64(number))
        }
        let summaries = try await store.summaries().map { "\($0)" }
        try await store.backup(to: files.backup)
        try await store.close()
        try files.remove("relay.sqlite", "relay.sqlite.lock")
        #expect(try folder.names() == ["relay.sqlite.secret-key"])

        let restored = try files.restore()
        #expect(restored.count == 50)
        #expect(restored.movedAside == nil)
        try #require(try FileLock(folder.files.lock, owner: folder.path).isMark(of: folder.path))
        let again = try folder.store()
        #expect(!again.isNew)
        #expect(try await again.summaries().map { "\($0)" } == summaries)
        for number in 0..<50 {
            let row = try #require(try await again.subscription(id("\(number)")))
            #expect(row.deviceToken == "\(number % 7)")
            #expect(row.privateKey == registration("").privateKey)
            #expect(row.authSecret == registration("").authSecret)
            #expect(row.badgeCount == number)
        }
        try await again.check()
        try await again.close()
        try await folder.store().close()
    }

    @Test func `the database makes place and is kept, for its owner alone`() async throws {
        try await files.fill().close()
        let octets = try folder.octets()
        let restored = try files.restore()
        #expect(restored.count == 1)
        #expect(restored.movedAside == folder.files.database.replacing("relay.sqlite", with: aside))
        #expect(
            try folder.names() == ["relay.sqlite", aside, "relay.sqlite.lock", "relay.sqlite.secret-key"].sorted()
        )
        #expect(try folder.octets(aside) == octets)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let store = try folder.store()
        #expect(try await store.subscription(id("old"))?.badgeCount == 7)
        #expect(try await store.subscription(id("new")) == nil)
        try await store.close()
        #expect(try await files.rows(in: aside) == 2)
    }

    @Test(arguments: ["-wal", "-journal", "-shm"])
    func `nothing of the old database stays beside the new one`(suffix: String) async throws {
        try await files.fill().close()
        try Data("of the old one".utf8).write(to: URL(filePath: folder.path + suffix))
        #expect(try files.restore().movedAside != nil)
        #expect(try folder.octets(aside + suffix) == Data("of the old one".utf8))
        #expect(try !folder.names().contains("relay.sqlite" + suffix))
        #expect(try await folder.store().count() == 1)
    }

    @Test(.enabled("to give files away takes root") { geteuid() == 0 }, arguments: [false, true])
    func `what root restores belongs to whom the database or its directory does`(isLost: Bool) async throws {
        try await files.fill().close()
        chown(folder.url.path, 12_345, 12_345)
        if isLost { try files.remove("relay.sqlite", "relay.sqlite.lock") } else { chown(folder.path, 12_345, 12_345) }
        _ = try files.restore()
        for path in [folder.path, folder.files.lock] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.ownerAccountID] as? NSNumber)?.intValue == 12_345, "\(path)")
        }
    }

    @Test func `what was moved aside can be restored as well, and no name is taken twice`() async throws {
        try await files.fill().close()
        try #require(try files.restore().movedAside != nil)
        let back = try files.restore(from: folder.path(aside))
        #expect(back.count == 2)
        #expect(back.movedAside?.hasSuffix("20261201T000000Z") == true)
        #expect(try await folder.store().subscription(id("new")) != nil)
    }

    @Test func `a log that was left by a relay that was killed goes with its database`() async throws {
        let store = try await files.fill()
        let killed = try Folder()
        for name in try folder.names() {
            try FileManager.default.copyItem(atPath: folder.path(name), toPath: killed.path(name))
        }
        // As if it were this one's: a copy has another number.
        try Data().write(to: URL(filePath: killed.files.lock))
        try #require(killed.files.hasLog)
        let restored = try Store.restore(killed.files, from: files.backup, now: RestoreFiles.now)
        #expect(restored.count == 1)
        #expect(try killed.names().filter { $0.hasPrefix(aside) } == [aside, aside + "-shm", aside + "-wal"])
        #expect(!killed.files.hasLog)
        let opened = try killed.store()
        #expect(try await opened.count() == 1)
        try await opened.close()
        // The log is folded into what is restored.
        #expect(try Store.restore(killed.files, from: killed.path(aside), now: RestoreFiles.now + 9).count == 2)
        #expect(try await killed.store().subscription(id("new")) != nil)
        try await store.close()
    }

    @Test func `a log of another file is not laid over the one that makes place`() async throws {
        let store = try await files.fill()
        let killed = try Folder()
        for name in try folder.names() where name != "relay.sqlite" {
            try FileManager.default.copyItem(atPath: folder.path(name), toPath: killed.path(name))
        }
        try FileManager.default.copyItem(atPath: files.backup, toPath: killed.path)
        #expect(throws: StoreError.staleLog(path: killed.files.database + "-wal")) { try killed.store() }
        let movedAside = try #require(
            try Store.restore(killed.files, from: files.backup, now: RestoreFiles.now).movedAside
        )
        #expect(try killed.octets(aside) == files.elsewhere.octets("backup.sqlite"))
        #expect(try !killed.names().contains(aside + "-wal"))
        #expect(try killed.names().contains("relay.sqlite.before-restore-20261201T000000Z-wal"))
        #expect(movedAside.hasSuffix(aside))
        #expect(try await killed.store().count() == 1)
        try await store.close()
    }

    @Test func `a database that is damaged, or that is no database, makes place too`() async throws {
        try await files.fill().close()
        try Data("damaged".utf8).write(to: URL(filePath: folder.path))
        #expect(throws: StoreError.notADatabase) { try folder.store() }
        #expect(try files.restore().count == 1)
        #expect(try folder.octets(aside) == Data("damaged".utf8))
        #expect(try await folder.store().count() == 1)
    }

    @Test(arguments: Age.allCases)
    func `a backup of any age is restored and then brought up to date`(age: Age) async throws {
        try files.elsewhere.execute(age.sql)
        // A log that is folded in, where there is one.
        #expect(try files.restore(from: files.elsewhere.path).count == 3)
        let store = try folder.store()
        #expect(!store.isNew)
        #expect(try await store.subscription(id("clear-id_1"))?.deviceToken == phone)
    }

    // MARK: - Refusals

    @Test func `nothing is restored under a relay that runs`() async throws {
        let store = try await files.fill()
        #expect(throws: StoreError.inUse(path: folder.files.lock)) { try files.restore() }
        #expect(try await store.count() == 2)
        try await store.check()
        #expect(try !folder.names().contains { $0.contains("restore") })
    }

    @Test func `a backup that is not there, or is no database, is refused and changes nothing`() async throws {
        try await files.fill().close()
        try FileManager.default.removeItem(atPath: files.backup)
        try expectRefused(.missing)
        for content in ["", "SQLite", String(repeating: "not a database\n", count: 1_000)] {
            try Data(content.utf8).write(to: URL(filePath: files.backup))
            try expectRefused(.notADatabase)
        }
        try FileManager.default.removeItem(atPath: files.backup)
        try FileManager.default.createDirectory(atPath: files.backup, withIntermediateDirectories: false)
        try expectRefused(.notADatabase)
    }

    @Test func `a backup of another program or of a later release is refused and changes nothing`() async throws {
        try await files.fill().close()
        let connection = try Connection(path: files.backup)
        try connection.execute("PRAGMA user_version = 5", for: .check)
        try expectRefused(.newer(version: 5))
        try connection.execute("PRAGMA application_id = 1", for: .check)
        try expectRefused(.foreign)
    }

    @Test func `a damaged backup is refused and changes nothing`() async throws {
        let store = try folder.store()
        for number in 1...100 { try await store.register("\(number)", on: "\(number)") }
        try await store.backup(to: files.backup)
        try await store.close()
        var octets = try files.elsewhere.octets("backup.sqlite")
        octets.replaceSubrange(8_192..<8_200, with: repeatElement(0xFF, count: 8))
        try octets.write(to: URL(filePath: files.backup))
        let names = try folder.names()
        let error = #expect(throws: StoreError.self) { try files.restore() }
        guard case .unusableBackup(_, .damaged)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try folder.names() == names)
        // Cut short, as a copy that was interrupted.
        try octets.prefix(20_000).write(to: URL(filePath: files.backup))
        #expect(throws: StoreError.self) { try files.restore() }
        #expect(try folder.names() == names)
        #expect(try await folder.store().count() == 100)
    }

    @Test func `without the key that it was sealed with a backup is refused and changes nothing`() async throws {
        try await files.fill().close()
        let (key, path) = (try folder.octets("relay.sqlite.secret-key"), folder.files.secretKey)
        try files.remove("relay.sqlite.secret-key")
        try expectRefused(.missingSecretKey(path: path))
        try Data(String(repeating: "ab", count: 32).utf8).write(to: URL(filePath: path))
        try expectRefused(.wrongSecretKey(path: path))
        try Data("no key".utf8).write(to: URL(filePath: path))
        #expect(throws: StoreError.malformedSecretKey) { try files.restore() }
        try key.write(to: URL(filePath: path))
        #expect(try files.restore().count == 1)
    }
}
