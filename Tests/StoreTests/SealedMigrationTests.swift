import Testing

@testable import Store

/// Files in which secrets are sealed, of the releases that had fewer columns.
struct SealedMigrationTests {
    let folder: Folder

    init() throws {
        folder = try Folder()
    }

    /// Leaves a file of that release with two rows.
    private func fill(_ release: SealedRelease) async throws {
        let store = try folder.store()
        try await store.register("one", account: "alice", at: 7)
        try await store.register("two", on: tablet, at: 8)
        try await store.setBadge(id("one"), to: 4)
        try await store.close()
        try release.rewrite(folder)
    }

    private static let columns = """
        SELECT m.name || ' ' || i.cid || ' ' || i.name || ' ' || i.type || ' ' || i."notnull"
        FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS i ORDER BY m.name, i.cid
        """

    @Test(arguments: SealedRelease.allCases)
    func `a sealed database of any version opens, keeps its rows and takes the columns of a new one`(
        release: SealedRelease
    ) async throws {
        try await fill(release)
        let store = try folder.store()
        let one = try #require(try await store.subscription(id("one")))
        #expect(one.deviceToken == phone)
        #expect(one.account == "alice")
        #expect(one.privateKey == [UInt8](repeating: 7, count: 32))
        #expect(one.publicKey == nil)
        #expect(try await store.countUp(id("one"))?.badge == 5)
        #expect(try await store.subscription(id("two"))?.deviceToken == tablet)
        let other = try Folder()
        let empty = try other.store()
        #expect(try await store.rows(Self.columns) == empty.rows(Self.columns))
        #expect(try await store.rows("PRAGMA user_version") == ["4"])
    }

    @Test(arguments: SealedRelease.allCases)
    func `a second start after that changes nothing`(release: SealedRelease) async throws {
        try await fill(release)
        try await folder.store().close()
        let octets = try folder.octets()
        let store = try folder.store()
        #expect(try await store.rows("SELECT total_changes()") == ["0"])
        try await store.close()
        #expect(try folder.octets() == octets)
    }

    @Test func `a step that was begun and finds some of its columns adds the others`() async throws {
        try await fill(.first)
        try folder.execute("ALTER TABLE subscriptions ADD COLUMN last_failed_at INTEGER")
        let store = try folder.store()
        #expect(try await store.rows("SELECT count(*) FROM subscriptions WHERE last_accepted_at IS NULL") == ["2"])
        #expect(try await store.rows("SELECT count(*) FROM subscriptions WHERE last_failure IS NULL") == ["2"])
    }
}
