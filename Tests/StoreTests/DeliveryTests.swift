import Testing

@testable import Store

@Suite("What Apple says of a token") struct DeliveryTests {
    let folder: Folder
    let store: Store

    init() throws {
        folder = try Folder()
        store = try folder.store()
    }

    private let noon: Int64 = 1_800_000_000

    private func known(_ name: String) async throws -> Subscription {
        try #require(try await store.subscription(id(name)))
    }

    /// Registers a device of its own and reports that Apple does not know it; whether it is gone.
    private func isDeleted(_ name: String, at now: Int64) async throws -> Bool {
        let device = "\(name.utf8.count)\(name)"
        try await store.register(name, on: device)
        let isDeleted = try await store.deleteDoubtful(id(name), deviceToken: device, at: now)
        #expect(try await store.subscription(id(name)) == nil || !isDeleted)
        return isDeleted
    }

    // MARK: - Deletion

    @Test func `a subscription is deleted by its id and its token, never by one of them`() async throws {
        try await store.register("one")
        try await store.register("sibling", account: "bob")
        try await store.delete(id("one"), deviceToken: tablet)
        #expect(try await store.deleteDoubtful(id("one"), deviceToken: tablet, at: noon))
        try await store.delete(id("other"), deviceToken: phone)
        #expect(try await store.rows("SELECT count(*) FROM subscriptions") == ["2"])
        try await store.delete(id("one"), deviceToken: phone)
        #expect(try await store.subscription(id("one")) == nil)
        #expect(try await store.subscription(id("sibling")) != nil)
    }

    @Test func `a registration in place of the one that Apple speaks of survives, and nothing is counted`() async throws
    {
        for number in 0..<5 {
            try await store.register("old \(number)")
            try await store.register("new \(number)")
            #expect(try await store.deleteDoubtful(id("old \(number)"), deviceToken: phone, at: noon))
        }
        #expect(try await store.subscription(id("new 4")) != nil)
        #expect(try await store.rows("SELECT count(*) FROM doubtful_deletions") == ["0"])
        #expect(try await !store.isGuarded())
    }

    @Test func `a doubtful deletion that succeeds is counted once, and the fourth is refused`() async throws {
        for name in ["a", "b", "c"] {
            #expect(try await !store.isGuarded())
            #expect(try await isDeleted(name, at: noon))
        }
        #expect(try await store.isGuarded())
        #expect(try await !isDeleted("d", at: noon))
        #expect(try await store.subscription(id("d")) != nil)
        #expect(try await store.rows("SELECT count(*) FROM doubtful_deletions") == ["3"])
    }

    @Test func `a deletion that is certain is neither counted nor refused`() async throws {
        for name in ["a", "b", "c", "d"] {
            try await store.register(name)
            try await store.delete(id(name), deviceToken: phone)
        }
        #expect(try await !store.isGuarded())
        for name in ["e", "f", "g"] { #expect(try await isDeleted(name, at: noon)) }
        try await store.register("h")
        try await store.delete(id("h"), deviceToken: phone)
        #expect(try await store.subscription(id("h")) == nil)
    }

    @Test(arguments: [(3_599, true), (3_600, false), (3_601, false), (86_400, false)] as [(Int64, Bool)])
    func `three within an hour are too many, and an hour after the first its place is free`(
        later: Int64,
        isGuarded: Bool
    ) async throws {
        #expect(try await isDeleted("a", at: noon))
        #expect(try await isDeleted("b", at: noon + later))
        #expect(try await isDeleted("c", at: noon + later))
        #expect(try await store.isGuarded() == isGuarded)
    }

    @Test func `once there were three, time does not open the way again`() async throws {
        for name in ["a", "b", "c"] { #expect(try await isDeleted(name, at: noon)) }
        for hours in [2, 100, 10_000] as [Int64] { #expect(try await !isDeleted("d", at: noon + hours * 3_600)) }
    }

    @Test func `a clock that is set back deletes no more than a clock that goes on`() async throws {
        for (name, now) in [("a", noon), ("b", noon - 86_400), ("c", noon - 172_800)] {
            #expect(try await isDeleted(name, at: now))
        }
        #expect(try await !isDeleted("d", at: noon - 172_800))
    }

    @Test func `an acceptance clears the count, whether or not it teaches anything else`() async throws {
        try await store.register("living", on: tablet)
        try await store.accepted(known("living"), environment: "production", at: noon)
        for name in ["a", "b", "c"] { #expect(try await isDeleted(name, at: noon)) }
        try await store.accepted(known("living"), environment: "production", at: noon)
        #expect(try await !store.isGuarded())
        for name in ["d", "e", "f"] { #expect(try await isDeleted(name, at: noon)) }
        #expect(try await store.isGuarded())
    }

    @Test func `the count outlives the process`() async throws {
        for name in ["a", "b", "c"] { #expect(try await isDeleted(name, at: noon)) }
        try await store.close()
        let reopened = try folder.store()
        #expect(try await reopened.isGuarded())
        try await reopened.register("d")
        #expect(try await !reopened.deleteDoubtful(id("d"), deviceToken: phone, at: noon))
    }

    // MARK: - Acceptance

    @Test func `a new subscription knows nothing of its token unless the app says it`() async throws {
        try await store.register("one")
        #expect(try await known("one").environment == nil)
        #expect(try await known("one").acceptedAt == nil)
        _ = try await store.register(registration("two", on: tablet, environment: "sandbox"))
        #expect(try await known("two").environment == "sandbox")
        #expect(try await known("two").acceptedAt == nil)
    }

    @Test func `an acceptance is remembered with its service and its first time`() async throws {
        try await store.register("one")
        try await store.accepted(known("one"), environment: "sandbox", at: noon)
        try await store.accepted(known("one"), environment: "sandbox", at: noon + 100)
        #expect(try await known("one").environment == "sandbox")
        #expect(try await known("one").acceptedAt == noon)
        try await store.close()
        let reopened = try #require(try await folder.store().subscription(id("one")))
        #expect(reopened.environment == "sandbox")
        #expect(reopened.acceptedAt == noon)
    }

    @Test func `an acceptance by a service that stands in for both names none`() async throws {
        try await store.register("one")
        _ = try await store.register(registration("two", on: tablet, environment: "sandbox"))
        for name in ["one", "two"] { try await store.accepted(known(name), environment: nil, at: noon) }
        #expect(try await known("one").environment == nil)
        #expect(try await known("one").acceptedAt == noon)
        #expect(try await known("two").environment == "sandbox")
        #expect(try await known("two").acceptedAt == noon)
    }

    @Test func `when all of it is known nothing is written`() async throws {
        try await store.register("one")
        try await store.accepted(known("one"), environment: "production", at: noon)
        let changes = try await store.rows("SELECT total_changes()")
        for _ in 0..<3 { try await store.accepted(known("one"), environment: "production", at: noon + 100) }
        try await store.accepted(known("one"), environment: nil, at: noon + 100)
        #expect(try await store.rows("SELECT total_changes()") == changes)
    }

    @Test func `it is matched by token, and says nothing of another device`() async throws {
        try await store.register("one")
        let old = try await known("one")
        try await store.delete(id("one"))
        try await store.register("one", on: tablet)
        try await store.accepted(old, environment: "production", at: noon)
        #expect(try await known("one").acceptedAt == nil)
        #expect(try await known("one").environment == nil)
    }

    @Test func `it is true of the token, so the device's other accounts know it too`() async throws {
        try await store.register("one", account: "alice")
        try await store.register("two", account: "bob")
        _ = try await store.register(registration("three", account: "carol", environment: "production"))
        try await store.register("elsewhere", on: tablet)
        try await store.accepted(known("one"), environment: "sandbox", at: noon)
        #expect(try await known("two").environment == "sandbox")
        #expect(try await known("two").acceptedAt == noon)
        #expect(try await known("three").environment == "production")
        #expect(try await known("three").acceptedAt == nil)
        #expect(try await known("elsewhere").environment == nil)
        #expect(try await known("elsewhere").acceptedAt == nil)
    }

    // MARK: - Registration

    @Test func `a registration inherits what was learnt of the token, also from another account`() async throws {
        try await store.register("one", account: "alice")
        try await store.accepted(known("one"), environment: "sandbox", at: noon)
        try await store.register("again", account: "alice")
        try await store.register("bob", account: "bob")
        for name in ["again", "bob"] {
            #expect(try await known(name).environment == "sandbox")
            #expect(try await known(name).acceptedAt == noon)
        }
        try await store.register("elsewhere", on: tablet, account: "alice")
        #expect(try await known("elsewhere").environment == nil)
        #expect(try await known("elsewhere").acceptedAt == nil)
    }

    @Test(arguments: [("production", nil), ("sandbox", 1_800_000_000)] as [(String, Int64?)])
    func `what the app says goes before what was learnt, and is proven only if they agree`(
        environment: String,
        acceptedAt: Int64?
    ) async throws {
        try await store.register("one")
        try await store.accepted(known("one"), environment: "sandbox", at: noon)
        _ = try await store.register(registration("again", environment: environment))
        #expect(try await known("again").environment == environment)
        #expect(try await known("again").acceptedAt == acceptedAt)
    }

    @Test func `what was said and not proven is not inherited`() async throws {
        _ = try await store.register(registration("one", environment: "sandbox"))
        try await store.register("again")
        #expect(try await known("again").environment == nil)
    }

    @Test(arguments: ["'Production'", "''", "'development'", "1", "x'00'"])
    func `the table refuses an environment that is not Apple's`(value: String) async throws {
        try await store.register("one")
        await #expect(throws: StoreError.self) {
            try await store.execute("UPDATE subscriptions SET environment = \(value)")
        }
        await #expect(throws: StoreError.self) {
            try await store.register(registration("two", environment: "development"))
        }
        #expect(try await store.rows("SELECT count(*) FROM subscriptions") == ["1"])
    }

    @Test func `a store that is closed or locked says so`() async throws {
        try await store.register("one")
        let subscription = try await known("one")
        let other = try Connection(path: folder.path)
        try other.execute("BEGIN IMMEDIATE", for: .check)
        await #expect(throws: StoreError.self) {
            try await store.accepted(subscription, environment: "production", at: noon)
        }
        await #expect(throws: StoreError.self) {
            _ = try await store.deleteDoubtful(id("one"), deviceToken: phone, at: noon)
        }
        await #expect(throws: StoreError.self) { try await store.delete(id("one"), deviceToken: phone) }
        try other.execute("ROLLBACK", for: .check)
        #expect(try await known("one").acceptedAt == nil)
        try await store.close()
        await #expect(throws: StoreError.closed) { try await store.delete(id("one"), deviceToken: phone) }
        await #expect(throws: StoreError.closed) { try await store.isGuarded() }
        await #expect(throws: StoreError.closed) {
            _ = try await store.deleteDoubtful(id("one"), deviceToken: phone, at: noon)
        }
        await #expect(throws: StoreError.closed) {
            try await store.accepted(subscription, environment: nil, at: noon)
        }
    }
}
