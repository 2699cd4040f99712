import Foundation
import Glibc
import Testing

@testable import Store

/// A start reads through the whole file, unless it is as a relay left it that had no reason to doubt it.
///
/// What shows whether it does is damage that was there already when the file was left.
struct LeftInOrderTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
    }

    /// A running store whose file has damage that it has not met.
    private func damagedStore() async throws -> Store {
        let store = try folder.store()
        for number in 1...100 { try await store.register("\(number)", on: "\(number)") }
        try await store.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA shrink_memory")
        try damage()
        return store
    }

    /// Destroys the page of the index of ids, and nothing that a start has to read.
    private func damage() throws {
        let file = try FileHandle(forWritingTo: URL(filePath: folder.path))
        try file.seek(toOffset: 8_192)
        try file.write(contentsOf: Data(repeating: 0xFF, count: 8))
        try file.close()
    }

    private func expectRefused(at location: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: StoreError.self, sourceLocation: location) { try folder.store() }
        guard case .corrupt? = error else {
            Issue.record("\(String(describing: error))", sourceLocation: location)
            return
        }
    }

    /// Sets when the file was modified, to the nanosecond.
    private func setModified(_ time: timespec) throws {
        let times = [time, time]
        try #require(utimensat(AT_FDCWD, folder.path, times, 0) == 0)
    }

    private func modified() throws -> timespec {
        var status = stat()
        try #require(stat(folder.path, &status) == 0)
        return status.st_mtim
    }

    private func lockLines() throws -> [Substring] {
        try String(decoding: folder.octets("relay.sqlite.lock"), as: UTF8.self).split(separator: "\n")
    }

    @Test func `a file that is as it was left is not read through, and its damage is an error once it is met`()
        async throws
    {
        try await damagedStore().close()
        let store = try folder.store()
        await #expect(throws: StoreError.self) { try await store.subscription(id("50")) }
        await #expect(throws: StoreError.self) { try await store.subscription(id("unknown")) }
        #expect(try await store.examine().damage != nil)
        try await store.close()
        // Met once, it is looked for.
        expectRefused()
    }

    @Test func `it is spared the look after each clean end, and by every command that opens it`() async throws {
        try await damagedStore().close()
        for _ in 1...3 { try await folder.store().close() }
        #expect(try Store.examine(folder.files)?.damage != nil)
        try await folder.store().close()
    }

    @Test func `damage that an examination found has the next start look too`() async throws {
        let store = try await damagedStore()
        #expect(try await store.examine().damage != nil)
        try await store.close()
        expectRefused()
    }

    @Test func `a relay that was killed has left nothing in order`() async throws {
        try await damagedStore().close()
        // Let go of without a close, with nothing written.
        do { _ = try folder.store() }
        expectRefused()
    }

    @Test func `while a relay runs there is no note that a power cut could leave`() async throws {
        try await folder.store().close()
        #expect(try lockLines().count == 2)
        let store = try folder.store()
        #expect(try lockLines().count == 1)
        try await store.close()
        #expect(try lockLines().count == 2)
    }

    @Test func `a file that was touched is read through`() async throws {
        try await damagedStore().close()
        try #require(utimensat(AT_FDCWD, folder.path, nil, 0) == 0)
        expectRefused()
    }

    @Test func `a file that was edited is read through, also with its time put back`() async throws {
        let store = try folder.store()
        for number in 1...100 { try await store.register("\(number)", on: "\(number)") }
        try await store.close()
        let time = try modified()
        try damage()
        try setModified(time)
        expectRefused()
    }

    @Test func `a copy in its place is read through`() async throws {
        try await damagedStore().close()
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path("aside"))
        try FileManager.default.copyItem(atPath: folder.path("aside"), toPath: folder.path)
        expectRefused()
    }

    @Test func `a log beside it has it read through`() async throws {
        try await damagedStore().close()
        try Data("a log".utf8).write(to: URL(filePath: folder.path + "-wal"))
        expectRefused()
    }

    @Test func `a restored backup is read through`() async throws {
        let store = try folder.store()
        try await store.register("one")
        try await store.backup(to: folder.path("backup"))
        try await store.close()
        try #require(try lockLines().count == 2)
        _ = try Store.restore(folder.files, from: folder.path("backup"))
        #expect(try lockLines().count == 1)
    }

    @Test(arguments: ["", "It was left in order: ", "It was left in order: device 0, 0 octets\n", "\0\0\0\0\n"])
    func `a note that is no note is ignored and removed`(note: String) async throws {
        try await damagedStore().close()
        let lines = try lockLines()
        try Data("\(lines[0])\n\(note)".utf8).write(to: URL(filePath: folder.files.lock))
        expectRefused()
    }

    @Test func `a note that was cut, or has something behind it, is ignored`() async throws {
        try await damagedStore().close()
        let text = try folder.octets("relay.sqlite.lock")
        for changed in [text.dropLast(1), text.dropLast(10), text + Data("\n".utf8)] {
            try changed.write(to: URL(filePath: folder.files.lock))
            expectRefused()
        }
        try text.write(to: URL(filePath: folder.files.lock))
        try await folder.store().close()
    }

    @Test func `where times are whole seconds the file is read through`() async throws {
        let store = try await damagedStore()
        try setModified(timespec(tv_sec: try modified().tv_sec, tv_nsec: 0))
        try await store.close()
        #expect(try lockLines().count == 1)
        expectRefused()
    }

    @Test func `a file of an earlier version is read through before it is brought up to date`() async throws {
        let store = try await damagedStore()
        try await store.execute("PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)")
        try await store.close()
        #expect(try lockLines().count == 2)
        expectRefused()
    }

    @Test func `the note is gone before a start may write, whatever becomes of that start`() async throws {
        let store = try folder.store()
        try await store.execute("PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)")
        try await store.close()
        try #require(try lockLines().count == 2)
        let files = StoreFiles(database: folder.path, backups: folder.path + "/no directory")
        #expect(throws: StoreError.self) { try Store(files, busyTimeout: 0, now: 0) }
        #expect(try lockLines().count == 1)
    }

    @Test func `a key that does not fit costs no look`() async throws {
        try await damagedStore().close()
        let key = try folder.octets("relay.sqlite.secret-key")
        let path = URL(filePath: folder.files.secretKey)
        try Data(String(repeating: "ab", count: 32).utf8).write(to: path)
        #expect(throws: StoreError.wrongSecretKey) { try folder.store() }
        try key.write(to: path)
        try await folder.store().close()
    }
}
