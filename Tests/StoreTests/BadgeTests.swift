import Testing

@testable import Store

struct BadgeTests {
    let folder: Folder
    let store: Store

    init() throws {
        folder = try Folder()
        store = try folder.store()
    }

    func unread(_ name: String) async throws -> Int? {
        try await store.subscription(id(name))?.badgeCount
    }

    @Test func `the badge is the sum over the device's subscriptions with badges enabled`() async throws {
        try await store.register("alice", account: "alice")
        try await store.register("bob", account: "bob")
        try await store.register("carol", account: "carol")
        try await store.register("elsewhere", on: tablet, account: "alice")
        try await store.setBadge(id("bob"), to: 10)
        try await store.setBadge(id("carol"), to: 100)
        try await store.setBadge(id("elsewhere"), to: 1_000)
        try await store.setBadgesEnabled(id("carol"), false)
        #expect(try await store.countUp(id("alice")) == BadgeIncrement(badge: 11, added: 1, epoch: 0))
        #expect(try await store.countUp(id("elsewhere"))?.badge == 1_001)
    }

    @Test func `without badges a subscription counts on, and shows the true figure once they are back`() async throws {
        try await store.register("one")
        try await store.setBadgesEnabled(id("one"), false)
        for _ in 1...3 {
            #expect(try await store.countUp(id("one")) == BadgeIncrement(badge: nil, added: 1, epoch: 0))
        }
        try await store.setBadgesEnabled(id("one"), true)
        #expect(try await store.countUp(id("one"))?.badge == 4)
    }

    @Test func `a subscription that is gone counts nothing`() async throws {
        try await store.register("one")
        try await store.delete(id("one"))
        #expect(try await store.countUp(id("one")) == nil)
        try await store.setBadge(id("one"), to: 3)
        try await store.setBadgesEnabled(id("one"), true)
        try await store.takeBack(BadgeIncrement(badge: 1, added: 1, epoch: 0), of: id("one"))
        #expect(try await store.subscription(id("one")) == nil)
    }

    @Test(
        arguments: [
            (Int64.min, 0), (-1, 0), (0, 0), (7, 7), (2_147_483_646, cap - 1), (2_147_483_647, cap),
            (2_147_483_648, cap),
            (Int64.max, cap),
        ] as [(Int64, Int)]
    )
    func `a counter that is set is clamped to what a badge can show`(count: Int64, stored: Int) async throws {
        try await store.register("one")
        try await store.setBadge(id("one"), to: count)
        #expect(try await unread("one") == stored)
        #expect(try await store.countUp(id("one"))?.badge == min(stored + 1, cap))
    }

    @Test func `counter and sum stop at the cap`() async throws {
        try await store.register("alice", account: "alice")
        try await store.register("bob", account: "bob")
        try await store.setBadge(id("alice"), to: Int64(cap - 1))
        try await store.setBadge(id("bob"), to: Int64.max)
        #expect(try await store.countUp(id("alice")) == BadgeIncrement(badge: cap, added: 1, epoch: 1))
        #expect(try await store.countUp(id("alice")) == BadgeIncrement(badge: cap, added: 0, epoch: 1))
        #expect(try await unread("alice") == cap)
    }

    @Test func `fifty pushes at once count fifty, each with a badge of its own`() async throws {
        try await store.register("one")
        let store = store
        let badges = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 1...50 { group.addTask { try await store.countUp(id("one"))?.badge } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(badges) == Set(1...50))
    }
}
