import RelayClient
import RelayTesting
import Testing

/// The figure on the app's icon while the app is closed.
@Suite(.fewAtATime)
struct BadgeTests {
    @Test func `the badge follows what the app says is unread`() async throws {
        let world = try await World()
        let phone = world.phone()
        let alice = try await phone.signIn("alice", at: world.pixelfed)
        for _ in 1...2 { _ = try await world.pixelfed.notify("alice") }
        try await phone.relay.setUnread(7, for: alice.subscription)
        _ = try await world.pixelfed.notify("alice")
        try await phone.relay.setUnread(-1, for: alice.subscription)
        _ = try await world.pixelfed.notify("alice")
        try await phone.relay.markRead(alice.subscription)
        #expect(try await phone.relay.status(of: alice.subscription).badge == 0)
        _ = try await world.pixelfed.notify("alice")
        #expect(try await world.badges(on: phone) == [1, 2, 8, 1, 1])
    }

    @Test func `badges that are off leave the icon alone, and are right when they are on again`() async throws {
        let world = try await World()
        let phone = world.phone()
        let alice = try await phone.signIn("alice", at: world.pixelfed)
        _ = try await world.pixelfed.notify("alice")
        try await phone.relay.setBadges(enabled: false, for: alice.subscription)
        #expect(try await !phone.relay.status(of: alice.subscription).badgesEnabled)
        _ = try await world.pixelfed.notify("alice")
        try await phone.relay.setBadges(enabled: true, for: alice.subscription)
        #expect(try await phone.relay.status(of: alice.subscription).badgesEnabled)
        _ = try await world.pixelfed.notify("alice")
        #expect(try await world.badges(on: phone) == [1, nil, 3])
    }
}
