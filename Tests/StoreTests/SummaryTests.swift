import Crypto
import Testing

@testable import Store

struct SummaryTests {
    let folder: Folder
    let store: Store

    init() throws {
        folder = try Folder()
        store = try folder.store()
    }

    @Test func `subscriptions are listed in the order of their creation`() async throws {
        try await store.register("late", account: "a", at: 30)
        try await store.register("early", account: "b", at: 10)
        try await store.register("next", on: tablet, at: 10)
        #expect(try await store.summaries().map(\.id) == ["early", "next", "late"].map(id))
        #expect(try await store.summaries().map(\.createdAt) == [10, 10, 30])
        #expect(try await store.count() == 3)
        try await store.delete(id("late"))
        #expect(try await store.count() == 2)
    }

    @Test func `a summary says what there is to say and nothing secret`() async throws {
        let registration = Registration(
            id: id("one"),
            deviceToken: phone,
            account: "alice",
            label: "a phone",
            privateKey: [UInt8](repeating: 7, count: 32),
            authSecret: [UInt8](repeating: 9, count: 16),
            createdAt: 5,
            environment: "sandbox",
            vapidKey: [UInt8](repeating: 4, count: 65)
        )
        _ = try await store.register(registration)
        try await store.setBadge(id("one"), to: 7)
        try await store.setBadgesEnabled(id("one"), false)
        let summary = try #require(try await store.summaries().first)
        #expect(summary.label == "a phone")
        #expect(summary.account == "alice")
        #expect(summary.environment == "sandbox")
        #expect(summary.badgeCount == 7)
        #expect(!summary.badgesEnabled)
        #expect(summary.isPinned)
        #expect(!"\(summary)".contains(phone.prefix(8)))
    }

    @Test func `the rows of a device are known by one short name, which is not its token's`() async throws {
        try await store.register("one", account: "a")
        try await store.register("two", account: "b")
        try await store.register("three", on: tablet)
        let devices = try await store.summaries().map(\.device)
        #expect(devices[0] == devices[1])
        #expect(devices[0] != devices[2])
        #expect(devices.allSatisfy { $0.utf8.count == 8 })
        let digest = Hex.encode(Array(SHA256.digest(Array(phone.utf8)).prefix(4)))
        #expect(devices[0] != digest && devices[0] != phone.prefix(8))
    }

    @Test func `a list is made of rows that do not decrypt, too`() async throws {
        try await store.register("one")
        try await store.execute("UPDATE subscriptions SET device_token = zeroblob(60)")
        #expect(try await store.summaries().count == 1)
    }

    @Test func `one is found by its id, with what was noted and is not written yet`() async throws {
        try await store.register("one")
        try await store.register("two", on: tablet)
        await store.note(id("two"), failure: "a reason", at: 7)
        let found = try #require(try await store.summary(of: id("two")))
        #expect(found.id == id("two"))
        #expect(found.lastFailure == "a reason")
        #expect(try await store.summary(of: id("three")) == nil)
        try await store.delete(id("two"))
        #expect(try await store.summary(of: id("two")) == nil)
    }

    @Test func `a short name finds its subscription`() async throws {
        try await store.register("one")
        try await store.register("two", on: tablet)
        let digest = Hex.encode(id("one").digest)
        for length in [8, 9, 15, 63, 64] {
            #expect(try await store.subscriptions(named: String(digest.prefix(length))).map(\.id) == [id("one")])
        }
        #expect(try await store.subscriptions(named: id("two").shortName).map(\.id) == [id("two")])
        #expect(try await store.subscriptions(named: id("three").shortName).isEmpty)
    }

    @Test func `what is no short name finds nothing`() async throws {
        try await store.register("one")
        let digest = Hex.encode(id("one").digest)
        for name in ["", String(digest.prefix(7)), digest.uppercased(), digest + "0", "%%%%%%%%", "________"] {
            #expect(try await store.subscriptions(named: name).isEmpty, "\(name)")
        }
    }

    @Test func `an ambiguous name finds all that it may mean`() async throws {
        try await store.register("one")
        try await store.register("two", on: tablet)
        try await store.register("three", on: tablet, account: "b")
        try await store.execute(
            "UPDATE subscriptions SET id = CAST(x'0123456789' || substr(id, 6) AS BLOB) WHERE number < 3"
        )
        #expect(try await store.subscriptions(named: "0123456789").count == 2)
    }
}
