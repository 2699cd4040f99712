import Synchronization
import Testing

@testable import Store

struct NoteTests {
    let folder: Folder
    let store: Store

    init() throws {
        folder = try Folder()
        store = try folder.store()
    }

    private func only(_ store: Store) async throws -> SubscriptionSummary {
        try #require(try await store.summaries().first)
    }

    @Test func `a new subscription has had no push`() async throws {
        try await store.register("one")
        let summary = try await only(store)
        #expect(summary.lastAcceptedAt == nil)
        #expect(summary.lastFailedAt == nil)
        #expect(summary.lastFailure == nil)
    }

    @Test func `the newest of each kind is shown before it is written, and nothing is written for it`() async throws {
        try await store.register("one")
        let changes = try await store.rows("SELECT total_changes()")
        for time in [1, 2, 3] as [Int64] {
            await store.note(id("one"), acceptedAt: time)
            await store.note(id("one"), failure: "reason \(time)", at: time + 10)
        }
        let summary = try await only(store)
        #expect(summary.lastAcceptedAt == 3)
        #expect(summary.lastFailedAt == 13)
        #expect(summary.lastFailure == "reason 3")
        #expect(try await store.rows("SELECT total_changes()") == changes)
        #expect(try folder.rows("SELECT last_accepted_at IS NULL FROM subscriptions") == ["1"])
    }

    @Test func `notes are written in one go, and what came before is kept where there is nothing newer`() async throws {
        for name in ["one", "two"] { try await store.register(name, account: name) }
        await store.note(id("one"), failure: "first", at: 1)
        await store.note(id("two"), acceptedAt: 2)
        try await store.flushNotes()
        await store.note(id("one"), acceptedAt: 3)
        let (one, two) = (try await store.summaries()[0], try await store.summaries()[1])
        #expect([one.lastAcceptedAt, one.lastFailedAt, two.lastAcceptedAt, two.lastFailedAt] == [3, 1, 2, nil])
        try await store.flushNotes()
        let rows = """
            SELECT last_accepted_at || ' ' || coalesce(last_failed_at || ' ' || last_failure, '-')
            FROM subscriptions ORDER BY number
            """
        #expect(try folder.rows(rows) == ["3 1 first", "2 -"])
        let changes = try await store.rows("SELECT total_changes()")
        try await store.flushNotes()
        #expect(try await store.rows("SELECT total_changes()") == changes)
    }

    @Test func `notes survive a close`() async throws {
        try await store.register("one")
        await store.note(id("one"), acceptedAt: 5)
        await store.note(id("one"), failure: "InternalServerError", at: 6)
        try await store.close()
        let summary = try await only(try folder.store())
        #expect(summary.lastAcceptedAt == 5)
        #expect(summary.lastFailedAt == 6)
        #expect(summary.lastFailure == "InternalServerError")
    }

    @Test func `notes that cannot be written are kept, and a close without them is a close all the same`() async throws
    {
        try await store.register("one")
        await store.note(id("one"), acceptedAt: 5)
        let other = try Connection(path: folder.path)
        try other.execute("BEGIN IMMEDIATE", for: .check)
        await #expect(throws: StoreError.self) { try await store.flushNotes() }
        try other.execute("ROLLBACK", for: .check)
        #expect(try await only(store).lastAcceptedAt == 5)
        try await store.flushNotes()
        #expect(try folder.rows("SELECT last_accepted_at FROM subscriptions") == ["5"])

        await store.note(id("one"), acceptedAt: 6)
        try await store.execute("PRAGMA query_only = ON")
        try await store.close()
        #expect(try await only(try folder.store()).lastAcceptedAt == 5)
    }

    @Test func `there are never more notes than rows`() async throws {
        await store.note(id("unknown"), acceptedAt: 1)
        for number in 0..<100 {
            try await store.register("\(number)")
            await store.note(id("\(number)"), failure: "gone soon", at: 2)
            #expect(store.notes.withLock { $0.byRow.count } == 1)
        }
        try await store.delete(id("99"))
        await store.note(id("99"), acceptedAt: 3)
        try await store.flushNotes()
        await store.note(id("99"), acceptedAt: 3)
        #expect(store.notes.withLock { $0.isEmpty })
    }

    @Test(arguments: [
        (String(repeating: "x", count: 200), 200), (String(repeating: "x", count: 201), 200),
        (String(repeating: "é", count: 150), 200), (String(repeating: "\u{1F600}", count: 51), 200),
        ("a" + String(repeating: "\u{1F600}", count: 51), 197), ("", 0),
    ])
    func `the text of a failure is cut between two characters`(text: String, octets: Int) async throws {
        try await store.register("one")
        await store.note(id("one"), failure: text, at: 1)
        try await store.flushNotes()
        let failure = try #require(try await only(store).lastFailure)
        #expect(failure.utf8.count == octets)
        #expect(text.utf8.starts(with: failure.utf8))
    }
}
