import Testing

@testable import Store

struct RegistrationTests {
    let folder: Folder
    let store: Store

    init() throws {
        folder = try Folder()
        store = try folder.store()
    }

    @Test func `registering an account again replaces its subscription and says which one`() async throws {
        #expect(try await store.register(registration("old", account: "alice")) == [])
        #expect(try await store.register(registration("new", account: "alice")) == [id("old")])
        #expect(try await store.subscription(id("old")) == nil)
        #expect(try await store.rows("SELECT count(*) FROM subscriptions") == ["1"])
    }

    @Test func `a replacement starts with nothing unread and badges on`() async throws {
        try await store.register("old")
        try await store.setBadge(id("old"), to: 5)
        try await store.setBadgesEnabled(id("old"), false)
        try await store.register("new")
        let subscription = try #require(try await store.subscription(id("new")))
        #expect(subscription.badgeCount == 0)
        #expect(subscription.badgesEnabled)
    }

    @Test func `accounts and devices never replace each other's subscriptions`() async throws {
        for round in ["first", "second"] {
            for account in ["", "alice", "bob"] {
                let replacedOnPhone = try await store.register(
                    registration("\(round) phone \(account)", account: account)
                )
                #expect(replacedOnPhone == (round == "first" ? [] : [id("first phone \(account)")]))
                try await store.register("\(round) tablet \(account)", on: tablet, account: account)
            }
        }
        #expect(try await store.rows("SELECT count(*) FROM subscriptions") == ["6"])
    }

    @Test func `a device keeps ten subscriptions, and the oldest goes for an eleventh`() async throws {
        try await store.register("of the tablet", on: tablet, at: 0)
        // Registered in no order of age: the one from second 1 comes fourth.
        for second in [5, 3, 9, 1, 10, 2, 8, 4, 7, 6] as [Int64] {
            #expect(try await store.register(registration("\(second)", account: "\(second)", at: second)) == [])
        }
        #expect(try await store.register(registration("11", account: "11", at: 11)) == [id("1")])
        #expect(try await store.register(registration("12", account: "12", at: 12)) == [id("2")])
        #expect(try await store.subscription(id("of the tablet")) != nil)
    }

    @Test func `of subscriptions from the same second the one registered first goes`() async throws {
        for number in 1...10 { try await store.register("\(number)", account: "\(number)") }
        #expect(try await store.register(registration("11", account: "11")) == [id("1")])
    }

    @Test func `a registration is never evicted by itself, even when the clock was set back`() async throws {
        for number in 1...10 { try await store.register("\(number)", account: "\(number)", at: 100) }
        #expect(try await store.register(registration("late", account: "late", at: 50)) == [id("1")])
        #expect(try await store.subscription(id("late")) != nil)
    }

    @Test func `a replacement at the limit of ten evicts nobody`() async throws {
        for number in 1...10 { try await store.register("\(number)", account: "\(number)", at: Int64(number)) }
        #expect(try await store.register(registration("again", account: "5", at: 11)) == [id("5")])
        #expect(try await store.rows("SELECT count(*) FROM subscriptions") == ["10"])
    }

    @Test func `an id that exists is a constraint error and leaves every row as it was`() async throws {
        try await store.register("one", account: "alice")
        try await store.register("two", account: "bob")
        let error = await #expect(throws: StoreError.self) { try await store.register("one", account: "bob") }
        guard case .constraint(let cause) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.operation == .register)
        #expect(try await store.subscription(id("two"))?.account == "bob")
        #expect(try await store.subscription(id("one"))?.account == "alice")
    }

    @Test func `a hundred registrations of one account at once leave one`() async throws {
        let store = store
        let replaced = try await withThrowingTaskGroup(of: [SubscriptionID].self) { group in
            for number in 1...100 {
                group.addTask { try await store.register(registration("\(number)", account: "alice")) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(replaced).count == 99)
        #expect(try await store.rows("SELECT count(*) FROM subscriptions") == ["1"])
    }

    @Test func `eleven accounts at once leave ten`() async throws {
        let store = store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...11 {
                group.addTask { try await store.register("\(number)", account: "\(number)") }
            }
            try await group.waitForAll()
        }
        #expect(try await store.rows("SELECT count(*) FROM subscriptions") == ["10"])
    }
}
