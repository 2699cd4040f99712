import Crypto
import Foundation
import Testing

@testable import Store

struct SubscriptionTests {
    let folder: Folder
    let store: Store

    init() throws {
        folder = try Folder()
        store = try folder.store()
    }

    @Test func `a subscription is read back as it was registered`() async throws {
        let privateKey = [UInt8](0..<32)
        let publicKey = [4] + [UInt8](0..<64)
        let authSecret = [UInt8](100..<116)
        _ = try await store.register(
            Registration(
                id: id("one"),
                deviceToken: phone,
                account: "alice@pixels.example",
                label: "Alice's phone",
                privateKey: privateKey,
                publicKey: publicKey,
                authSecret: authSecret,
                createdAt: 1_234_567_890
            )
        )
        let subscription = try #require(try await store.subscription(id("one")))
        #expect(subscription.id == id("one"))
        #expect(subscription.deviceToken == phone)
        #expect(subscription.account == "alice@pixels.example")
        #expect(subscription.label == "Alice's phone")
        #expect(subscription.privateKey == privateKey)
        #expect(subscription.publicKey == publicKey)
        #expect(subscription.authSecret == authSecret)
        #expect(subscription.badgeCount == 0)
        #expect(subscription.badgesEnabled)
        #expect(subscription.createdAt == 1_234_567_890)
    }

    @Test func `a subscription outlives the process that registered it`() async throws {
        try await store.register("one")
        try await store.close()
        #expect(try await folder.store().subscription(id("one")) != nil)
    }

    @Test func `an id is hashed octet for octet and logged by its first four octets`() {
        // The digest of "abc" is the example of FIPS 180-4.
        #expect(id("abc").shortName == "ba7816bf")
        #expect(id("abc").digest.count == 32)
        #expect(id("abc") != id("ABC"))
        #expect(id("abc") != id("abc\0"))
    }

    @Test func `an unknown id has no subscription`() async throws {
        try await store.register("one")
        #expect(try await store.subscription(id("two")) == nil)
    }

    @Test func `a deleted subscription is gone, and to delete it again is no error`() async throws {
        try await store.register("one", account: "a")
        try await store.register("two", account: "b")
        for _ in 1...2 { try await store.delete(id("one")) }
        #expect(try await store.subscription(id("one")) == nil)
        #expect(try await store.subscription(id("two")) != nil)
    }

    @Test func `nothing of a deleted subscription is left in the file`() async throws {
        try await store.register("one", account: "an account")
        let device = try #require(try await store.rows("SELECT hex(device) FROM subscriptions").first)
        try await store.close()
        let traces = [Data("an account".utf8), Data(id("one").digest), Data(try #require(Hex.decode(device.utf8)))]
        for trace in traces { #expect(try folder.octets().range(of: trace) != nil) }

        let reopened = try folder.store()
        try await reopened.delete(id("one"))
        try await reopened.close()
        for trace in traces { #expect(try folder.octets().range(of: trace) == nil) }
    }

    @Test(arguments: [
        ("a", "a\0b"), ("a\0b", "a\0c"), ("", "\0"), ("caf\u{E9}", "cafe\u{301}"), ("a", "A"), ("a", "a "),
        ("1", "1.0"),
    ])
    func `accounts that differ in any octet are two, and are kept octet for octet`(one: String, other: String)
        async throws
    {
        try await store.register("one", account: one)
        try await store.register("other", account: other)
        let subscriptions = [try await store.subscription(id("one")), try await store.subscription(id("other"))]
        #expect(subscriptions.map { $0.map { Array($0.account.utf8) } } == [Array(one.utf8), Array(other.utf8)])

        let replaced = try await store.register(registration("again", account: other))
        #expect(replaced == [id("other")])
    }

    @Test(arguments: [
        "'); DROP TABLE subscriptions; --", "\u{202E}\u{1F4F1}\\\"", String(repeating: "x", count: 100_000),
    ])
    func `free text is stored, never interpreted`(text: String) async throws {
        try await store.register("one", account: text)
        #expect(try await store.subscription(id("one"))?.account == text)
    }
}
