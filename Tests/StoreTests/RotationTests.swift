import Foundation
import Testing

@testable import Store

struct RotationTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
    }

    private func key() throws -> String {
        try #require(String(bytes: folder.octets("relay.sqlite.secret-key"), encoding: .utf8))
    }

    @Test(arguments: [0, 1, 1_201])
    func `rotating seals every secret with a new key, and keeps every row`(count: Int) async throws {
        let store = try folder.store()
        for number in 0..<count {
            try await store.register(
                "\(number)",
                on: number.isMultiple(of: 2) ? phone : tablet,
                account: "\(number % 20)"
            )
        }
        for number in 0..<count { try await store.setBadge(id("\(number)"), to: Int64(number)) }
        let rows = try await store.rows("SELECT count(*) FROM subscriptions")
        let columns = "SELECT hex(device) || hex(device_token) || hex(private_key) || hex(auth) FROM subscriptions"
        let sealed = Set(try await store.rows(columns))
        let old = try key()
        try await store.close()

        #expect(String(try Store.rotateKey(folder.files)) == rows[0])
        #expect(try key() != old)
        #expect(try folder.rows(columns).filter(sealed.contains) == [])
        let reopened = try folder.store()
        for number in 0..<count {
            guard let subscription = try await reopened.subscription(id("\(number)")) else { continue }
            #expect(subscription.deviceToken == (number.isMultiple(of: 2) ? phone : tablet))
            #expect(subscription.badgeCount == number)
        }
        // The device of the earlier rows is found under the new key.
        if count > 0 {
            #expect(
                try await reopened.register(registration("new", on: tablet, account: "1")).count == (count > 1 ? 1 : 0)
            )
        }
    }

    @Test(arguments: [false, true])
    func `a rotation that was cut short leaves a file with two keys, of which the right one is taken`(
        isCommitted: Bool
    ) async throws {
        let store = try folder.store()
        try await store.register("one")
        try await store.close()
        let old = try key()
        let new = String(repeating: "ab", count: 32) + "\n"
        var committed = ""
        if isCommitted {
            _ = try Store.rotateKey(folder.files)
            committed = try key()
            try Data((try key() + old).utf8).write(to: URL(filePath: folder.files.secretKey))
        } else {
            try Data((new + old).utf8).write(to: URL(filePath: folder.files.secretKey))
        }
        try await folder.store().close()
        // One start is enough to be rid of the other key.
        #expect(try key() == (isCommitted ? committed : old))
        #expect(try Store.rotateKey(folder.files) == 1)
        #expect(try key().count == 65)
        #expect(try await folder.store().subscription(id("one"))?.deviceToken == phone)
    }

    @Test func `there is nothing to rotate without a database or without its key, and neither is made`() async throws {
        #expect(throws: StoreError.lost(path: folder.files.database)) { try Store.rotateKey(folder.files) }
        #expect(try folder.names() == [])
        try await folder.store().close()
        try FileManager.default.removeItem(atPath: folder.files.secretKey)
        #expect(throws: StoreError.missingSecretKey) { try Store.rotateKey(folder.files) }
        #expect(try folder.names() == ["relay.sqlite", "relay.sqlite.lock"])
    }

    @Test func `a key behind a link is rotated where it lies`() async throws {
        try FileManager.default.createDirectory(atPath: folder.path("keys"), withIntermediateDirectories: false)
        let old = String(repeating: "0f", count: 32) + " \r\n"
        try Data(old.utf8).write(to: folder.url.appending(path: "keys/relay"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("key"),
            withDestinationPath: folder.path("keys/relay")
        )
        let files = StoreFiles(database: folder.path, secretKey: folder.path("key"))
        try await Store(files, busyTimeout: 0, now: 0).close()
        _ = try Store.rotateKey(files)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("key")) == folder.path("keys/relay")
        )
        #expect(try folder.octets("keys/relay") != Data(old.utf8))
        try await Store(files, busyTimeout: 0, now: 0).close()
    }

    @Test func `a relay that runs keeps its key`() async throws {
        let store = try folder.store()
        let old = try key()
        #expect(throws: StoreError.inUse(path: folder.files.lock)) { try Store.rotateKey(folder.files) }
        #expect(try key() == old)
        try await store.check()
    }

    @Test func `one row that cannot be opened stops the rotation, and everything stays as it was`() async throws {
        let store = try folder.store()
        for name in ["one", "two"] { try await store.register(name, account: name) }
        try await store.execute("UPDATE subscriptions SET auth = zeroblob(45) WHERE number = 2")
        try await store.close()
        let error = StoreError.unsealable(column: "auth", subscription: id("two").shortName)
        #expect(throws: error) { try Store.rotateKey(folder.files) }
        #expect(try await folder.store().subscription(id("one")) != nil)
    }

    @Test func `a key file that cannot be written stops the rotation before anything is sealed`() async throws {
        // Also for root: nothing can be renamed over a directory.
        let files = StoreFiles(database: folder.path, secretKey: folder.path("key"))
        try await Store(files, busyTimeout: 0, now: 0).close()
        let octets = try folder.octets()
        try FileManager.default.createDirectory(atPath: folder.path("key.new"), withIntermediateDirectories: false)
        #expect(throws: StoreError.self) { try Store.rotateKey(files) }
        #expect(try folder.octets() == octets)
    }
}
