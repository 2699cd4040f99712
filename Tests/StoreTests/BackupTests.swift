import Foundation
import Testing

@testable import Store

struct BackupTests {
    let folder: Folder
    let store: Store

    init() throws {
        folder = try Folder()
        store = try folder.store()
    }

    private func mode(_ path: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    private func rows(_ path: String, _ sql: String) throws -> [String] {
        try Connection(frozen: path).prepare(sql, for: .read).all { $0.text(0) }
    }

    @Test func `a backup has every row and the marks of a database of the relay, for its owner alone`() async throws {
        try await store.register("one")
        try await store.register("two", on: tablet)
        let path = folder.path("a backup?#%41.sqlite")
        try await store.backup(to: path)
        #expect(try rows(path, "SELECT id FROM subscriptions").count == 2)
        #expect(try rows(path, "PRAGMA application_id") == ["1380729177"])
        #expect(try rows(path, "PRAGMA user_version") == ["4"])
        #expect(try rows(path, "PRAGMA integrity_check") == ["ok"])
        #expect(try mode(path) == 0o600)
        let fresh = ["relay.sqlite", "-shm", "-wal", ".lock", ".secret-key"].enumerated()
            .map { $0.offset == 0 ? $0.element : "relay.sqlite" + $0.element }
        #expect(Set(try folder.names()) == Set(fresh + ["a backup?#%41.sqlite"]))
    }

    @Test func `a backup made while rows are written is whole, and the writes go on`() async throws {
        let store = store
        let folder = folder
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { try await store.register("\(number)", on: "\(number)", account: "x") }
            }
            for number in 0..<10 {
                group.addTask { try await store.backup(to: folder.path("\(number).sqlite")) }
            }
            try await group.waitForAll()
        }
        #expect(try await store.count() == 100)
        for number in 0..<10 {
            #expect(try rows(folder.path("\(number).sqlite"), "PRAGMA integrity_check") == ["ok"])
        }
        try await store.backup(to: folder.path("last.sqlite"))
        #expect(try rows(folder.path("last.sqlite"), "SELECT count(*) FROM subscriptions") == ["100"])
    }

    @Test(arguments: ["a file", ""])
    func `nothing is ever overwritten`(content: String) async throws {
        let path = folder.path("backup.sqlite")
        try Data(content.utf8).write(to: URL(filePath: path))
        await #expect(throws: StoreError.exists(path: path)) { try await store.backup(to: path) }
        #expect(try folder.octets("backup.sqlite") == Data(content.utf8))
        #expect(try folder.names().filter { $0.hasSuffix(BackupDirectory.draftSuffix) } == [])
    }

    @Test func `a link that leads nowhere is not followed`() async throws {
        let path = folder.path("backup.sqlite")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.path("elsewhere"))
        await #expect(throws: StoreError.exists(path: path)) { try await store.backup(to: path) }
        #expect(try !folder.names().contains("elsewhere"))
    }

    @Test func `what a backup that was killed left is in nobody's way`() async throws {
        let draft = folder.path("backup.sqlite") + BackupDirectory.draftSuffix
        try Data("half a backup".utf8).write(to: URL(filePath: draft))
        try await store.backup(to: folder.path("backup.sqlite"))
        #expect(!FileManager.default.fileExists(atPath: draft))
        #expect(try rows(folder.path("backup.sqlite"), "PRAGMA integrity_check") == ["ok"])
    }

    @Test func `a directory that is not there is named, and the store works on`() async throws {
        let path = folder.path("missing/backup.sqlite")
        let error = await #expect(throws: StoreError.self) { try await store.backup(to: path) }
        #expect(error?.description.hasPrefix("cannot back up to \(path): cannot create ") == true)
        try await store.register("one")
        try await store.check()
    }

    @Test func `another process that holds the database's lock holds up no backup`() async throws {
        try await store.register("one")
        let other = try Connection(path: folder.path)
        try other.execute("BEGIN IMMEDIATE", for: .check)
        try await store.backup(to: folder.path("backup.sqlite"))
        #expect(try rows(folder.path("backup.sqlite"), "SELECT count(*) FROM subscriptions") == ["1"])
        try other.execute("ROLLBACK", for: .check)
    }

    @Test func `a store that is closed makes no backup`() async throws {
        try await store.close()
        await #expect(throws: StoreError.closed) { try await store.backup(to: folder.path("backup.sqlite")) }
    }
}
