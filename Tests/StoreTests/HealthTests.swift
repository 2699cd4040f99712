import Testing

@testable import Store

struct HealthTests {
    let folder: Folder
    let store: Store

    init() throws {
        folder = try Folder()
        store = try folder.store()
    }

    @Test func `a store whose disk is full is not well until there is room`() async throws {
        try await store.register("one")
        try await store.check()
        // A limit of SQLite's own, which it reports as it reports a full disk.
        try await store.execute("PRAGMA max_page_count = 1")
        let long = registration("new", account: String(repeating: "x", count: 100_000))
        await #expect(throws: StoreError.self) { try await store.register(long) }
        // Reads go on, and so do writes that need no room; it is not well all the same.
        #expect(try await store.countUp(id("one"))?.badge == 1)
        await #expect(throws: StoreError.self) { try await store.check() }

        // While it is asked again and again, it looks again every two seconds.
        let deadline = ContinuousClock.now + .seconds(3)
        var wellTimes = 0
        while .now < deadline {
            if (try? await store.check()) != nil { wellTimes += 1 }
            // The processor is for the other tests.
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(wellTimes == 0)
        try await store.execute("PRAGMA max_page_count = 1000000")
        let began = ContinuousClock.now
        while (try? await store.check()) == nil {
            try #require(began.duration(to: .now) < .seconds(60))
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try await store.rows("SELECT name FROM sqlite_schema WHERE name = 'trial'") == [])
        #expect(try await store.rows("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `a store that is well writes nothing when it is asked`() async throws {
        try await store.register("one")
        let before = try folder.octets("relay.sqlite-wal")
        for _ in 0..<100 { try await store.check() }
        #expect(try folder.octets("relay.sqlite-wal") == before)
    }

    @Test func `a registration that is refused for its id says nothing about the disk`() async throws {
        try await store.register("one")
        await #expect(throws: StoreError.self) { try await store.register("one", on: tablet) }
        try await store.check()
    }
}
