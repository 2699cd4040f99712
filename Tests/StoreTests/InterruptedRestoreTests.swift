import Foundation
import Testing

@testable import Store

/// What a restore leaves that is killed between two of its steps, and what comes of it.
struct InterruptedRestoreTests {
    private let files: RestoreFiles
    private var folder: Folder { files.folder }
    private let aside = RestoreFiles.aside
    /// Octets, Characters and normal forms differ.
    private static let folders = ["store", "é", "e\u{301}", "\u{301}"]

    init() throws {
        files = try RestoreFiles()
    }

    @Test func `killed while it copies, it leaves the old database to a start and nothing in the way`() async throws {
        try await files.fill().close()
        for suffix in ["", "-wal", "-journal"] {
            try Data("half a copy".utf8).write(to: URL(filePath: folder.files.restored + suffix))
        }
        let store = try folder.store()
        #expect(try await store.count() == 2)
        try await store.close()
        #expect(try folder.names() == ["relay.sqlite", "relay.sqlite.lock", "relay.sqlite.secret-key"])
        try Data("half a copy".utf8).write(to: URL(filePath: folder.files.restored))
        #expect(try files.restore().count == 1)
    }

    @Test(arguments: folders)
    func `killed between the two, a start refuses, and a second run goes on with the same name`(in name: String)
        async throws
    {
        let files = try RestoreFiles(in: name)
        let folder = files.folder
        try await files.fill().close()
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path(aside))
        #expect(throws: StoreError.lost(path: folder.files.database)) { try folder.store() }
        let restored = try files.restore(at: RestoreFiles.now + 60)
        #expect(restored.movedAside?.hasSuffix(aside) == true)
        #expect(try await folder.store().count() == 1)
        #expect(try await files.rows(in: aside) == 2)
    }

    @Test(arguments: folders)
    func `killed between a database and its log, a start refuses, and a second run joins them`(in name: String)
        async throws
    {
        let files = try RestoreFiles(in: name)
        let folder = files.folder
        let store = try await files.fill()
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path(aside))
        // The relay has let go of the lock, as one does that is killed, and its log is as it was.
        let log = try folder.octets("relay.sqlite-wal")
        await #expect(throws: StoreError.self) { try await store.check() }
        try? await store.close()
        try log.write(to: URL(filePath: folder.path + "-wal"))
        #expect(throws: StoreError.lost(path: folder.files.database)) { try folder.store() }
        let restored = try files.restore(at: RestoreFiles.now + 60)
        #expect(restored.movedAside?.hasSuffix(aside) == true)
        #expect(try folder.octets(aside + "-wal") == log)
        #expect(try await folder.store().count() == 1)
    }

    @Test func `a log whose database is lost is kept by itself`() async throws {
        try await files.fill().close()
        try #require(try files.restore().movedAside != nil)
        try await folder.store().close()
        try files.remove("relay.sqlite")
        try Data("a log".utf8).write(to: URL(filePath: folder.path + "-wal"))
        #expect(try files.restore(at: RestoreFiles.now + 60).count == 1)
        #expect(try !folder.names().contains(aside + "-wal"))
        #expect(try folder.octets("relay.sqlite.before-restore-20261201T000059Z-wal") == Data("a log".utf8))
        #expect(try await folder.store().count() == 1)
    }

    @Test func `put in place and not marked yet, it is accepted by a start`() async throws {
        try await files.fill().close()
        try files.remove("relay.sqlite")
        try FileManager.default.copyItem(atPath: files.backup, toPath: folder.path)
        #expect(try await folder.store().count() == 1)
    }
}
