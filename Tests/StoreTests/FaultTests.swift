import Foundation
import Testing

@testable import Store

struct FaultTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
    }

    @Test(arguments: [
        ("synchronous", "2"), ("journal_mode", "wal"), ("secure_delete", "1"), ("trusted_schema", "0"),
        ("foreign_keys", "1"),
    ])
    func `every commit is synced to a log, and what is deleted is erased`(setting: String, value: String) async throws {
        #expect(try await folder.store().rows("PRAGMA \(setting)") == [value])
    }

    @Test func `no SQL can damage the schema`() async throws {
        let store = try folder.store()
        try await store.execute("PRAGMA writable_schema = ON")
        await #expect(throws: StoreError.self) { try await store.execute("DELETE FROM sqlite_schema") }
    }

    @Test func `the relay waits two seconds for a lock, and those behind the first do not wait again`() async throws {
        let store = try Store(folder.files)
        try await store.register("one")
        let other = try Connection(path: folder.path)
        try other.execute("BEGIN IMMEDIATE", for: .check)
        let refused = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    do throws(StoreError) {
                        if number.isMultiple(of: 2) {
                            _ = try await store.countUp(id("one"))
                        } else {
                            try await store.check()
                        }
                        return false
                    } catch {
                        if case .busy = error { return true } else { return false }
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refused == 40)
        // One after the other they would have waited for 80 s. On a machine that takes 10 s for them there is a second wait.
        #expect(try await store.waited() < .seconds(40))

        try other.execute("ROLLBACK", for: .check)
        #expect(try await store.countUp(id("one"))?.badge == 1)
        // It is over, so the next one is waited for again.
        try other.execute("BEGIN IMMEDIATE", for: .check)
        let again = ContinuousClock.now
        await expect("busy") { try await store.check() }
        #expect(.now - again >= .seconds(2))
    }

    @Test func `a lock that goes in time is waited out`() async throws {
        let store = try Store(folder.files, busyTimeout: 60_000, now: 0)
        try await store.register("one")
        let reader = try Connection(path: folder.path)
        try reader.execute("BEGIN IMMEDIATE", for: .check)
        async let increment = store.countUp(id("one"))
        // Reads wait behind the write, so this one is answered once the lock is gone.
        try reader.execute("ROLLBACK", for: .check)
        #expect(try await increment?.badge == 1)
    }

    @Test(arguments: ["", "-wal", "-shm"])
    func `only the owner can read the files`(suffix: String) async throws {
        let store = try folder.store()
        try await store.register("one")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + suffix)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func `a store that is closed says so and leaves the file, its lock and its key`() async throws {
        let store = try folder.store()
        try await store.register("one")
        let increment = try #require(try await store.countUp(id("one")))
        for _ in 1...2 { try await store.close() }
        #expect(try folder.names() == ["relay.sqlite", "relay.sqlite.lock", "relay.sqlite.secret-key"])

        await #expect(throws: StoreError.closed) { try await store.subscription(id("one")) }
        await #expect(throws: StoreError.closed) { try await store.register(registration("two")) }
        await #expect(throws: StoreError.closed) { try await store.delete(id("one")) }
        await #expect(throws: StoreError.closed) { try await store.setBadge(id("one"), to: 1) }
        await #expect(throws: StoreError.closed) { try await store.setBadgesEnabled(id("one"), true) }
        await #expect(throws: StoreError.closed) { try await store.countUp(id("one")) }
        await #expect(throws: StoreError.closed) { try await store.takeBack(increment, of: id("one")) }
        await #expect(throws: StoreError.closed) { try await store.check() }
    }

    @Test func `a store that is closed while another process reads says that the log stays, and is closed`()
        async throws
    {
        let store = try folder.store()
        let other = try Connection(path: folder.path)
        try other.execute("BEGIN; SELECT * FROM subscriptions", for: .check)
        try await store.register("one")
        await expect("busy") { try await store.close() }
        await #expect(throws: StoreError.closed) { try await store.check() }
        #expect(try await folder.store().subscription(id("one")) != nil)
        try other.execute("COMMIT", for: .check)
    }

    @Test func `while another process writes, reads go on and every write is refused as busy`() async throws {
        let store = try folder.store()
        try await store.register("one")
        let increment = try #require(try await store.countUp(id("one")))
        let other = try Connection(path: folder.path)
        try other.execute("BEGIN IMMEDIATE", for: .check)

        await expect("busy") { try await store.register("two") }
        await expect("busy") { try await store.delete(id("one")) }
        await expect("busy") { try await store.setBadge(id("one"), to: 9) }
        await expect("busy") { try await store.setBadgesEnabled(id("one"), false) }
        await expect("busy") { _ = try await store.countUp(id("one")) }
        await expect("busy") { try await store.takeBack(increment, of: id("one")) }
        await expect("busy") { try await store.check() }
        #expect(try await store.subscription(id("one"))?.badgeCount == 1)

        try other.execute("ROLLBACK", for: .check)
        try await store.check()
        // What could not be taken back before is so now.
        #expect(try await store.countUp(id("one"))?.badge == 1)
        #expect(try await store.rows("SELECT count(*) FROM subscriptions") == ["1"])
    }

    @Test func `a full disk refuses the registration whole, and the store recovers with the disk`() async throws {
        let store = try folder.store()
        try await store.register("old", account: "alice")
        try await store.execute("PRAGMA max_page_count = 1")
        let long = registration("new", account: String(repeating: "x", count: 100_000))
        await expect("full") { _ = try await store.register(long) }
        #expect(try await store.rows("SELECT count(*) FROM subscriptions") == ["1"])
        #expect(try await store.subscription(id("old")) != nil)
        #expect(try await store.countUp(id("old"))?.badge == 1)

        try await store.execute("PRAGMA max_page_count = 1000000")
        #expect(try await store.register(long) == [])
        #expect(try await store.subscription(id("new")) != nil)
    }

    @Test func `a database that takes no writes is read on`() async throws {
        let store = try folder.store()
        try await store.register("one")
        try await store.check()
        try await store.execute("PRAGMA query_only = ON")
        await expect("readOnly") { try await store.setBadge(id("one"), to: 1) }
        #expect(try await store.subscription(id("one"))?.badgeCount == 0)
    }

    @Test(arguments: [1, 100, 10_000])
    func `C-09: a file that is something else is refused and left alone`(lines: Int) async throws {
        let content = String(repeating: "not a database\n", count: lines)
        try Data(content.utf8).write(to: folder.url.appending(path: "relay.sqlite"))
        #expect(throws: StoreError.notADatabase) { try folder.store() }
        #expect(try folder.octets() == Data(content.utf8))
        #expect(try folder.names() == ["relay.sqlite"])
    }

    @Test func `a file that is damaged while it is open is corrupt, and what is in it is not called unknown`()
        async throws
    {
        let store = try folder.store()
        for number in 1...100 { try await store.register("\(number)", on: "\(number)") }
        try await store.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA shrink_memory")
        let file = try FileHandle(forWritingTo: URL(filePath: folder.path))
        try file.seek(toOffset: 8_192)
        try file.write(contentsOf: Data(repeating: 0xFF, count: folder.octets().count - 8_192))
        await expect("corrupt") { _ = try await store.subscription(id("50")) }
        await expect("corrupt") { _ = try await store.subscription(id("unknown")) }
    }

    @Test func `a directory that is missing is named, with a remedy`() throws {
        let files = StoreFiles(database: folder.path("missing/relay.sqlite"))
        let error = StoreError.file(action: "open", path: files.lock, code: ENOENT)
        #expect(throws: error) { try Store(files) }
        #expect(
            "\(error)".hasSuffix("(No such file or directory): let the relay's user read and write in that directory")
        )
    }

    // To SQLite the empty path would be a database that vanishes with the process.
    @Test(arguments: [true, false])
    func `a directory is no database`(isNamed: Bool) throws {
        #expect(throws: StoreError.notAFile) { try Store(StoreFiles(database: isNamed ? folder.url.path : "")) }
        #expect(try folder.names() == [])
    }

    @Test func `a transaction that cannot be committed is rolled back and does not block the next`() throws {
        let connection = try Connection(path: folder.path, creating: true)
        try connection.configure(busyTimeout: 0)
        try connection.execute(
            """
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (parent INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
            """,
            for: .check
        )
        let error = #expect(throws: StoreError.self) {
            try connection.transaction(for: .register) { () throws(StoreError) in
                try connection.execute("INSERT INTO child VALUES (1)", for: .register)
            }
        }
        #expect(error?.description.hasPrefix("cannot register a subscription: FOREIGN KEY") == true)
        try connection.transaction(for: .check) {}
        #expect(try folder.rows("SELECT count(*) FROM child") == ["0"])
    }

    @Test func `an error says what failed, why and what to do`() async throws {
        let store = try folder.store()
        let other = try Connection(path: folder.path)
        try other.execute("BEGIN IMMEDIATE", for: .check)
        let error = await #expect(throws: StoreError.self) { try await store.delete(id("one")) }
        let text =
            "cannot delete a subscription: database is locked (sqlite code 5): stop the other process that uses the file"
        #expect(error?.description == text)
    }

    /// Expects the case of ``StoreError`` with this name, whatever SQLite adds to it.
    func expect(
        _ name: String,
        at location: SourceLocation = #_sourceLocation,
        from call: () async throws -> Void
    ) async {
        let error = await #expect(throws: StoreError.self, sourceLocation: location) { try await call() }
        let label = error.flatMap { Mirror(reflecting: $0).children.first?.label }
        #expect(label == name, "\(String(describing: error))", sourceLocation: location)
    }
}
