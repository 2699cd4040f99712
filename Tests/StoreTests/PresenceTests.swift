import Foundation
import Testing

@testable import Store

/// A database that was lost is not an empty one: every endpoint would be unknown, and every sender would forget it.
struct PresenceTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
    }

    /// Leaves a database with one row, as a relay does that was stopped.
    private func fill() async throws {
        let store = try folder.store()
        try await store.register("one")
        try await store.close()
    }

    private func expectUntouched(_ error: StoreError, at location: SourceLocation = #_sourceLocation) throws {
        let names = try folder.names()
        let octets = try names.map(folder.octets)
        for _ in 1...2 { #expect(throws: error, sourceLocation: location) { try folder.store() } }
        #expect(try folder.names().filter { $0 != "relay.sqlite.lock" } == names.filter { $0 != "relay.sqlite.lock" })
        #expect(try names.map(folder.octets) == octets)
    }

    @Test(arguments: [false, true])
    func `C-07: a file of 0 octets is refused`(isOld: Bool) async throws {
        if isOld { try await fill() }
        try Data().write(to: URL(filePath: folder.path))
        try expectUntouched(.empty(path: folder.files.database))
    }

    @Test func `C-08: a file that is gone is refused where there was one, until the mark is removed`() async throws {
        try await fill()
        try FileManager.default.removeItem(atPath: folder.path)
        let files = folder.files
        #expect(throws: StoreError.lost(path: files.database)) { try folder.store() }
        #expect(try folder.names() == ["relay.sqlite.lock", "relay.sqlite.secret-key"])
        let remedy = "\(StoreError.lost(path: files.database))"
        #expect(remedy.hasSuffix("remove \(files.database)-wal and \(files.database).lock"))
        try FileManager.default.removeItem(atPath: files.lock)
        #expect(try await folder.store().subscription(id("one")) == nil)
    }

    @Test func `C-08: a log without its file, and a link that leads nowhere, are signs of a database that was there`()
        throws
    {
        for prepare in [
            { try Data("a log".utf8).write(to: URL(filePath: folder.path + "-wal")) },
            {
                try FileManager.default.createSymbolicLink(
                    atPath: folder.path,
                    withDestinationPath: "/mnt/absent/relay"
                )
            },
        ] {
            try prepare()
            #expect(throws: StoreError.lost(path: folder.files.database)) { try folder.store() }
            #expect(try folder.names().filter { $0.hasSuffix(".new") } == [])
            for name in try folder.names() { try FileManager.default.removeItem(atPath: folder.path(name)) }
        }
    }

    @Test func `a log is not laid over a backup that was put in its file's place`() async throws {
        let store = try folder.store()
        try await store.register("old")
        try await store.execute("VACUUM INTO '\(folder.path("backup"))'")
        try await store.register("new", on: tablet)
        // What a relay leaves that is killed.
        let left = try Folder()
        for name in ["relay.sqlite", "relay.sqlite-wal", "relay.sqlite.lock", "relay.sqlite.secret-key"] {
            try FileManager.default.copyItem(atPath: folder.path(name), toPath: left.path(name))
        }
        try FileManager.default.removeItem(atPath: left.path)
        try FileManager.default.copyItem(atPath: folder.path("backup"), toPath: left.path)
        #expect(throws: StoreError.staleLog(path: left.files.database + "-wal")) { try left.store() }
        #expect(try left.octets() == folder.octets("backup"))

        try FileManager.default.removeItem(atPath: left.path + "-wal")
        let restored = try left.store()
        #expect(try await restored.subscription(id("old")) != nil)
        #expect(try await restored.subscription(id("new")) == nil)
        try await restored.close()
        try await left.store().close()
    }

    @Test func `a file of an earlier release is marked too`() async throws {
        try folder.execute(Age.checked.sql)
        try await folder.store().close()
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(throws: StoreError.lost(path: folder.files.database)) { try folder.store() }
    }

    @Test(arguments: [
        "CREATE TABLE notes (text)", "CREATE TABLE subscriptions (id, email)", "PRAGMA application_id = 1",
        "PRAGMA user_version = 4; CREATE TABLE notes (text)",
        "PRAGMA application_id = 0x524C4159; CREATE TABLE notes (text)",
    ])
    func `C-09: a database of another program is refused and stays as it is`(sql: String) throws {
        try folder.execute(sql)
        try expectUntouched(.foreign)
    }

    @Test(arguments: [5, 6, 2_147_483_647])
    func `C-10: a database of a later release is refused and stays as it is`(version: Int64) async throws {
        try await fill()
        try folder.execute("PRAGMA user_version = \(version)")
        try expectUntouched(.newer(version: version))
    }

    @Test func `a file with a damaged structure is refused`() async throws {
        let store = try folder.store()
        for number in 1...100 { try await store.register("\(number)", on: "\(number)") }
        try await store.close()
        var octets = try folder.octets()
        octets.replaceSubrange(8_192..<8_200, with: repeatElement(0xFF, count: 8))
        try octets.write(to: folder.url.appending(path: "relay.sqlite"))
        let error = #expect(throws: StoreError.self) { try folder.store() }
        guard case .corrupt? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try folder.octets() == octets)
    }

    @Test func `C-14: two relays never have one database`() async throws {
        let first = try folder.store()
        #expect(throws: StoreError.inUse(path: folder.files.lock)) { try folder.store() }
        let link = StoreFiles(database: folder.path("link"), secretKey: folder.files.secretKey)
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path)
        #expect(throws: StoreError.inUse(path: folder.files.lock)) {
            try Store(StoreFiles(database: folder.path("link"), secretKey: link.secretKey), busyTimeout: 0, now: 0)
        }
        try await first.close()
        try await folder.store().check()
    }

    @Test(arguments: ["relay.sqlite", "relay.sqlite-wal"], [false, true])
    func `F-32: a file that is removed or replaced under the relay is noticed, and one that comes back too`(
        name: String,
        isReplaced: Bool
    ) async throws {
        let store = try folder.store()
        try await store.register("one")
        try FileManager.default.moveItem(atPath: folder.path(name), toPath: folder.path("elsewhere"))
        if isReplaced { try Data("another file".utf8).write(to: URL(filePath: folder.path(name))) }
        let moved = StoreError.moved(path: folder.files.database.dropLast("relay.sqlite".count) + name)
        await #expect(throws: moved) { try await store.check() }
        await #expect(throws: moved) { try await store.subscription(id("one")) }
        await #expect(throws: moved) { try await store.subscription(id("unknown")) }
        await #expect(throws: moved) { try await store.delete(id("one")) }
        await #expect(throws: moved) { try await store.register("two") }
        await #expect(throws: moved) { try await store.setBadge(id("one"), to: 5) }
        await #expect(throws: moved) { try await store.count() }
        // What a push that is under way counts is lost with the file, or there again with it.
        #expect(try await store.countUp(id("one"))?.badge == 1)
        #expect(try folder.names().contains(name) == isReplaced)

        if isReplaced { try FileManager.default.removeItem(atPath: folder.path(name)) }
        try FileManager.default.moveItem(atPath: folder.path("elsewhere"), toPath: folder.path(name))
        try await store.check()
        #expect(try await store.subscription(id("one"))?.badgeCount == 1)
    }

    @Test func `a start that was killed while it made the database leaves nothing that holds up the next`() async throws
    {
        try Data("half a database".utf8).write(to: URL(filePath: folder.files.draft))
        try Data("its journal".utf8).write(to: URL(filePath: folder.files.draft + "-journal"))
        try await folder.store().close()
        #expect(try folder.names() == ["relay.sqlite", "relay.sqlite.lock", "relay.sqlite.secret-key"])
    }

    @Test(arguments: ["", "-wal"])
    func `C-16: files that others could read are closed to them`(suffix: String) async throws {
        try folder.execute(Age.checked.sql)
        chmod(folder.path, 0o644)
        let store = try folder.store()
        try await store.register("one")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + suffix)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
}
