import RelayClient
import RelayTesting
import Testing

/// An account that leaves a device.
@Suite(.fewAtATime)
struct SignOutTests {
    @Test func `an account that signs out is forgotten at the relay and at the instance`() async throws {
        let world = try await World()
        let phone = world.phone()
        let alice = try await phone.signIn("alice", at: world.pixelfed)
        try await alice.instance.delete()
        try await phone.relay.unsubscribe(alice.subscription)
        #expect(try await world.pixelfed.endpoints(of: "alice").isEmpty)
        #expect(try await world.pixelfed.notify("alice").posts.isEmpty)
        #expect(try await world.notifications(on: phone).isEmpty)
        // Again, as an app does that was ended in the middle of it.
        try await alice.instance.delete()
        try await phone.relay.unsubscribe(alice.subscription)
    }

    @Test func `an instance that nobody told forgets with its next notification`() async throws {
        let world = try await World()
        let phone = world.phone()
        let alice = try await phone.signIn("alice", at: world.pixelfed)
        try await phone.relay.unsubscribe(alice.subscription)
        #expect(try await world.pixelfed.notify("alice").statuses == [404])
        #expect(try await world.pixelfed.endpoints(of: "alice").isEmpty)
        #expect(try await world.notifications(on: phone).isEmpty)
    }

    @Test func `who signs out on one device, or with one account, stays signed in with the others`() async throws {
        let world = try await World()
        let (phone, tablet) = (world.phone(), world.phone())
        let alice = try await phone.signIn("alice", at: world.pixelfed)
        let onTablet = try await tablet.signIn("alice", at: world.pixelfed)
        let bob = try await phone.signIn("bob", at: world.pixelfed)
        try await phone.relay.setUnread(5, for: alice.subscription)
        try await alice.instance.delete()
        try await phone.relay.unsubscribe(alice.subscription)

        #expect(try await world.pixelfed.endpoints(of: "alice") == [onTablet.subscription.endpoint])
        #expect(try await world.pixelfed.notify("alice").statuses == [201])
        #expect(try await world.pixelfed.notify("bob").statuses == [201])
        #expect(try await world.notifications(on: phone).map { $0.tapped?.account } == ["bob@pixels.example"])
        // What was unread of the account that left no longer counts.
        #expect(try await world.badges(on: phone) == [1])
        #expect(try await world.badges(on: tablet) == [1])
        #expect(try await phone.relay.status(of: bob.subscription).badge == 1)
    }
}
