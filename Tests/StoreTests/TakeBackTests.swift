import Testing

@testable import Store

struct TakeBackTests {
    let folder: Folder
    let store: Store

    init() throws {
        folder = try Folder()
        store = try folder.store()
    }

    func unread(_ name: String) async throws -> Int? {
        try await store.subscription(id(name))?.badgeCount
    }

    @Test func `an increment is taken back`() async throws {
        try await store.register("one")
        try await store.setBadge(id("one"), to: 3)
        let increment = try #require(try await store.countUp(id("one")))
        try await store.takeBack(increment, of: id("one"))
        #expect(try await unread("one") == 3)
    }

    @Test func `increments are taken back in any order, each for itself`() async throws {
        try await store.register("one")
        let first = try #require(try await store.countUp(id("one")))
        let second = try #require(try await store.countUp(id("one")))
        _ = try await store.countUp(id("one"))
        try await store.takeBack(second, of: id("one"))
        try await store.takeBack(first, of: id("one"))
        #expect(try await unread("one") == 1)
    }

    @Test func `a counter never falls below zero, even when an increment is taken back twice`() async throws {
        try await store.register("one")
        let increment = try #require(try await store.countUp(id("one")))
        for _ in 1...2 { try await store.takeBack(increment, of: id("one")) }
        #expect(try await unread("one") == 0)
    }

    @Test(arguments: [0, 1, 7] as [Int64])
    func `nothing is taken back once the app has set the counter`(count: Int64) async throws {
        try await store.register("one")
        let increment = try #require(try await store.countUp(id("one")))
        try await store.setBadge(id("one"), to: count)
        try await store.takeBack(increment, of: id("one"))
        #expect(try await unread("one") == Int(count))

        // Of two pushes around the app's word, the later one's increment can go.
        let later = try #require(try await store.countUp(id("one")))
        try await store.takeBack(increment, of: id("one"))
        #expect(try await unread("one") == Int(count) + 1)
        try await store.takeBack(later, of: id("one"))
        #expect(try await unread("one") == Int(count))
    }

    @Test func `a push that found the counter at its cap takes nothing back`() async throws {
        try await store.register("one")
        try await store.setBadge(id("one"), to: Int64(cap))
        let increment = try #require(try await store.countUp(id("one")))
        try await store.takeBack(increment, of: id("one"))
        #expect(try await unread("one") == cap)
    }

    @Test func `badges switched off in between do not keep an increment from being taken back`() async throws {
        try await store.register("one")
        let increment = try #require(try await store.countUp(id("one")))
        try await store.setBadgesEnabled(id("one"), false)
        try await store.takeBack(increment, of: id("one"))
        #expect(try await unread("one") == 0)
    }

    @Test func `what cannot be taken back is owed, and the next write takes it back before it counts`() async throws {
        for name in ["one", "two"] { try await store.register(name, account: name) }
        try await store.setBadge(id("two"), to: 7)
        var increments: [BadgeIncrement] = []
        for _ in 0..<3 { increments.append(try #require(try await store.countUp(id("one")))) }
        let other = try Connection(path: folder.path)
        try other.execute("BEGIN IMMEDIATE", for: .check)
        for increment in increments.dropLast() {
            await #expect(throws: StoreError.self) { try await store.takeBack(increment, of: id("one")) }
        }
        #expect(try await unread("one") == 3)

        try other.execute("ROLLBACK", for: .check)
        // The badge of the device's other account is a sum that it is part of.
        #expect(try await store.countUp(id("two"))?.badge == 9)
        #expect(try await unread("one") == 1)
        // Once, and not again.
        #expect(try await store.countUp(id("two"))?.badge == 10)
        try await store.takeBack(increments[2], of: id("one"))
        #expect(try await unread("one") == 0)
    }

    @Test(arguments: ["health", "close", "registration"])
    func `whatever is written first takes back what is owed`(write: String) async throws {
        try await store.register("one")
        let increment = try #require(try await store.countUp(id("one")))
        let other = try Connection(path: folder.path)
        try other.execute("BEGIN IMMEDIATE", for: .check)
        await #expect(throws: StoreError.self) { try await store.takeBack(increment, of: id("one")) }
        try other.execute("ROLLBACK", for: .check)
        switch write {
        case "health": try await store.check()
        case "close": try await store.close()
        default: try await store.register("two", on: tablet)
        }
        #expect(try folder.rows("SELECT badge_count FROM subscriptions ORDER BY rowid").first == "0")
    }

    @Test(arguments: [0, 5] as [Int64])
    func `what is owed from before the app set the counter is void`(count: Int64) async throws {
        try await store.register("one")
        let before = try #require(try await store.countUp(id("one")))
        let other = try Connection(path: folder.path)
        try other.execute("BEGIN IMMEDIATE", for: .check)
        await #expect(throws: StoreError.self) { try await store.takeBack(before, of: id("one")) }
        try other.execute("ROLLBACK", for: .check)
        try await store.setBadge(id("one"), to: count)
        let after = try #require(try await store.countUp(id("one")))
        #expect(try await unread("one") == Int(count) + 1)

        // Debts of both times: the older one takes nothing, and does not take the place of the other.
        try other.execute("BEGIN IMMEDIATE", for: .check)
        for increment in [after, before] {
            await #expect(throws: StoreError.self) { try await store.takeBack(increment, of: id("one")) }
        }
        try other.execute("ROLLBACK", for: .check)
        try await store.check()
        #expect(try await unread("one") == Int(count))
    }

    @Test(arguments: Step.orders)
    func `whatever the order of two pushes and the app's word, what is taken back is what still counts`(
        order: [Step]
    ) async throws {
        try await store.register("one")
        var increments: [Int: BadgeIncrement] = [:]
        var expected = 0
        var counting: Set<Int> = []
        for step in order {
            switch step {
            case .push(let number):
                increments[number] = try await store.countUp(id("one"))
                expected += 1
                counting.insert(number)
            case .fail(let number):
                try await store.takeBack(try #require(increments[number]), of: id("one"))
                expected -= counting.contains(number) ? 1 : 0
            case .set:
                try await store.setBadge(id("one"), to: 5)
                expected = 5
                counting = []
            }
            #expect(try await unread("one") == expected)
        }
    }
}

/// One event in the life of a counter.
enum Step: Equatable, CustomTestStringConvertible {
    case push(Int), fail(Int), set

    /// Every order of two pushes that fail, and of the app setting the counter, in which each fails after it was sent.
    static var orders: [[Step]] {
        func extensions(of order: [Step]) -> [[Step]] {
            let next = [Step.push(1), .push(2), .fail(1), .fail(2), .set].filter { step in
                guard !order.contains(step) else { return false }
                guard case .fail(let number) = step else { return true }
                return order.contains(.push(number))
            }
            return next.isEmpty ? [order] : next.flatMap { extensions(of: order + [$0]) }
        }
        return extensions(of: [])
    }

    var testDescription: String {
        switch self {
        case .push(let number): "push \(number)"
        case .fail(let number): "push \(number) fails"
        case .set: "set"
        }
    }
}
