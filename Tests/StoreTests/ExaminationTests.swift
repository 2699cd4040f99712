import Foundation
import Testing

@testable import Store

struct ExaminationTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
    }

    private func expectUntouched<Result>(_ body: () throws -> Result) throws -> Result {
        let names = try folder.names()
        let octets = try names.map(folder.octets)
        let result = try body()
        #expect(try folder.names() == names)
        #expect(try names.map(folder.octets) == octets)
        return result
    }

    @Test func `a relay that runs examines its own database, and nobody else does`() async throws {
        let store = try folder.store()
        try await store.register("one")
        #expect(try await store.examine() == Examination(damage: nil, version: 4, count: 1))
        #expect(throws: StoreError.inUse(path: folder.files.lock)) { try Store.examine(folder.files) }
    }

    @Test func `the database of a relay that was stopped is examined and stays as it is`() async throws {
        let store = try folder.store()
        try await store.register("one")
        try await store.close()
        let found = try expectUntouched { try Store.examine(folder.files) }
        #expect(found == Examination(damage: nil, version: 4, count: 1))
    }

    @Test func `the log of a relay that was killed is read and stays as it is`() async throws {
        let store = try folder.store()
        try await store.register("one")
        let killed = try Folder()
        for name in ["relay.sqlite", "relay.sqlite-wal", "relay.sqlite.secret-key"] {
            try FileManager.default.copyItem(atPath: folder.path(name), toPath: killed.path(name))
        }
        let (names, log) = (try killed.names(), try killed.octets("relay.sqlite-wal"))
        #expect(try Store.examine(killed.files) == Examination(damage: nil, version: 4, count: 1))
        #expect(try killed.names() == names)
        #expect(try killed.octets("relay.sqlite-wal") == log)
        #expect(try await killed.store().count() == 1)
        try await store.close()
    }

    @Test(arguments: Age.allCases)
    func `a file of any age is not brought up to date by a look`(age: Age) throws {
        try folder.execute(age.sql)
        let found = try expectUntouched { try Store.examine(folder.files) }
        #expect(found == Examination(damage: nil, version: 0, count: 3))
    }

    @Test func `damage is told and not thrown`() async throws {
        let store = try folder.store()
        for number in 1...100 { try await store.register("\(number)", on: "\(number)") }
        try await store.close()
        var octets = try folder.octets()
        for offset in [8_192, 100] {
            octets.replaceSubrange(offset..<offset + 8, with: repeatElement(0xFF, count: 8))
            try octets.write(to: URL(filePath: folder.path))
            let found = try expectUntouched { try Store.examine(folder.files) }
            #expect(found?.damage != nil)
        }
    }

    @Test func `what keeps a relay from starting is thrown, and where there never was a database there is none`()
        async throws
    {
        #expect(try expectUntouched { try Store.examine(folder.files) } == nil)
        let store = try folder.store()
        try await store.register("one")
        try await store.close()
        let (key, path) = (try folder.octets("relay.sqlite.secret-key"), folder.files.secretKey)
        try FileManager.default.removeItem(atPath: path)
        #expect(throws: StoreError.missingSecretKey) { try Store.examine(folder.files) }
        try Data(String(repeating: "ab", count: 32).utf8).write(to: URL(filePath: path))
        #expect(throws: StoreError.wrongSecretKey) { try Store.examine(folder.files) }
        try key.write(to: URL(filePath: path))
        try folder.execute("PRAGMA user_version = 5")
        #expect(throws: StoreError.newer(version: 5)) { try Store.examine(folder.files) }
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(throws: StoreError.lost(path: folder.files.database)) { try Store.examine(folder.files) }
    }
}
