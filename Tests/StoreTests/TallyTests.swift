import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Store

extension Store {
    /// Keeps the store's thread busy; false when nobody released it.
    fileprivate func hold(_ entered: @Sendable () -> Void, until release: DispatchSemaphore) -> Bool {
        entered()
        return release.wait(timeout: .now() + 10) == .success
    }

    fileprivate func tally() throws -> Tally { try open().tally }
}

/// What is counted in memory is what is in the file, whatever becomes of a write.
struct TallyTests {
    let folder: Folder
    let store: Store

    init() throws {
        folder = try Folder()
        store = try folder.store()
    }

    private let noon: Int64 = 1_800_000_000

    private func expectTrue(_ store: Store, at location: SourceLocation = #_sourceLocation) async throws {
        let doubts = try await store.rows("SELECT count(*) FROM doubtful_deletions")
        #expect(try await doubts == ["\(store.tally().doubts)"], sourceLocation: location)
        let subscriptions = try await store.rows("SELECT count(*) FROM subscriptions")
        #expect(try await subscriptions == ["\(store.count())"], sourceLocation: location)
        #expect(store.hasDoubts.load(ordering: .relaxed) == (doubts != ["0"]), sourceLocation: location)
    }

    /// Registers a device of its own and reports that Apple does not know it.
    private func disown(_ name: String, at now: Int64) async throws {
        try await store.register(name, on: "\(name)\(name)")
        _ = try await store.deleteDoubtful(id(name), deviceToken: "\(name)\(name)", at: now)
    }

    @Test func `subscriptions are counted once, and every way in which one comes or goes is followed`() async throws {
        try await store.register("first")
        for step in 0..<60 {
            let name = "\(step)"
            switch step % 6 {
            case 0: try await store.register(name, account: "one of six")
            case 1: try await store.delete(id("\(step - 1)"))
            case 2: try await store.delete(id("unknown"), deviceToken: phone)
            case 3: try await store.delete(id("first"), deviceToken: step < 30 ? tablet : phone)
            case 4: try await disown(name, at: noon + Int64(step) * 3_600)
            // From the tenth on one of the device's others goes for it.
            default: for number in 1...4 { try await store.register("\(name) \(number)", account: "\(name) \(number)") }
            }
            try await expectTrue(store)
        }
        try await store.close()
        try await expectTrue(folder.store())
    }

    @Test func `a registration that is refused or fails is not counted`() async throws {
        try await store.register("one", account: "a")
        try await store.register("two", account: "b")
        await #expect(throws: StoreError.tooManySubscriptions(most: 2)) {
            try await store.register(registration("three", on: tablet), most: 2)
        }
        try await expectTrue(store)
        // It would take the place of the first, and has the id of the second.
        await #expect(throws: StoreError.self) { try await store.register("two", account: "a") }
        try await expectTrue(store)
        _ = try await store.register(registration("three", account: "a"), most: 2)
        try await expectTrue(store)
        try await store.delete(id("three"))
        _ = try await store.register(registration("four", on: tablet), most: 2)
        try await expectTrue(store)
    }

    @Test func `doubtful deletions are counted, forgotten and cleared as the file has them`() async throws {
        try await store.register("living", on: tablet)
        for (name, now) in [("a", noon), ("b", noon), ("c", noon + 3_600), ("d", noon + 3_600), ("e", noon)] {
            try await disown(name, at: now)
            try await expectTrue(store)
        }
        #expect(try await store.isGuarded())
        try await store.close()
        let reopened = try folder.store()
        try await expectTrue(reopened)
        #expect(try await reopened.isGuarded())
        let living = try #require(try await reopened.subscription(id("living")))
        try await reopened.accepted(living, environment: nil, at: noon)
        try await expectTrue(reopened)
        #expect(try await !reopened.isGuarded())
    }

    @Test func `a write that is rolled back leaves the count as it was`() async throws {
        try await store.register("living", on: tablet)
        let living = try #require(try await store.subscription(id("living")))
        try await store.accepted(living, environment: "production", at: noon)
        for name in ["a", "b"] { try await disown(name, at: noon) }
        for event in ["INSERT", "DELETE"] {
            try await store.execute(
                """
                CREATE TEMP TRIGGER refusal AFTER \(event) ON main.doubtful_deletions
                WHEN (SELECT count(*) FROM doubtful_deletions) IN (0, 1)
                BEGIN SELECT RAISE(ABORT, 'refused'); END
                """
            )
            // Forgets both, deletes the subscription, and fails at last.
            await #expect(throws: StoreError.self) { try await disown("c\(event)", at: noon + 3_600) }
            try await expectTrue(store)
            #expect(try await store.rows("SELECT count(*) FROM doubtful_deletions") == ["2"])
            #expect(try await store.subscription(id("c\(event)")) != nil)
            if event == "DELETE" {
                await #expect(throws: StoreError.self) {
                    try await store.accepted(living, environment: "sandbox", at: noon)
                }
                try await expectTrue(store)
            }
            try await store.execute("DROP TRIGGER refusal")
        }
        try await disown("d", at: noon)
        #expect(try await store.isGuarded())
    }

    @Test func `an acceptance that is no news does not wait for the store's thread`() async throws {
        try await store.register("one")
        try await store.accepted(#require(try await store.subscription(id("one"))), environment: "sandbox", at: noon)
        let known = try #require(try await store.subscription(id("one")))
        let release = DispatchSemaphore(value: 0)
        let (entries, entry) = AsyncStream.makeStream(of: Void.self)
        let held = Task { [store] in await store.hold({ entry.finish() }, until: release) }
        for await _ in entries {}
        try await store.accepted(known, environment: "sandbox", at: noon + 7)
        release.signal()
        #expect(await held.value)
        #expect(try await store.summaries().first?.lastAcceptedAt == noon + 7)
    }

    @Test func `of what could not be written down the newer stays`() {
        var taken = DeliveryNotes()
        for name in ["both", "accepted", "failed"] {
            taken.accepted(id(name), at: 1)
            taken.failed(id(name), "older", at: 2)
        }
        var notes = taken
        let written = notes.take()
        #expect(notes.isEmpty)
        notes.accepted(id("accepted"), at: 3)
        notes.failed(id("failed"), "newer", at: 4)
        notes.accepted(id("other"), at: 5)
        notes.putBack(written)
        let texts = ["both", "accepted", "failed", "other"].map { name in
            let note = notes[id(name)]
            return "\(note?.acceptedAt ?? 0) \(note?.failedAt ?? 0) \(note?.failure ?? "-")"
        }
        #expect(texts == ["1 2 older", "3 2 older", "1 4 newer", "5 0 -"])
    }
}
