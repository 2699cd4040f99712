import RelayClient
import RelayTesting
import Testing

/// Several accounts, several devices, and device tokens that change.
@Suite(.fewAtATime)
struct AccountTests {
    @Test func `two accounts on one device share its badge, and neither evicts the other`() async throws {
        let world = try await World()
        let phone = world.phone()
        let alice = try await phone.signIn("alice", at: world.pixelfed)
        let bob = try await phone.signIn("bob", at: world.pixelfed)
        #expect(alice.subscription.endpoint != bob.subscription.endpoint)
        for user in ["alice", "bob", "bob", "alice"] {
            #expect(try await world.pixelfed.notify(user).statuses == [201])
        }
        #expect(try await world.badges(on: phone) == [1, 2, 3, 4])
        #expect(
            try await world.notifications(on: phone).map { $0.tapped?.account }
                == ["alice", "bob", "bob", "alice"].map { "\($0)@pixels.example" }
        )
        // Reading the one leaves what is unread of the other.
        try await phone.relay.markRead(alice.subscription)
        _ = try await world.pixelfed.notify("alice")
        #expect(try await world.badges(on: phone).last == 3)
        #expect(try await phone.relay.status(of: alice.subscription).badge == 1)
        #expect(try await phone.relay.status(of: bob.subscription).badge == 2)
    }

    @Test func `two devices of one account have a badge each`() async throws {
        let world = try await World()
        let (phone, tablet) = (world.phone(), world.phone())
        let onPhone = try await phone.signIn("alice", at: world.pixelfed)
        _ = try await tablet.signIn("alice", at: world.pixelfed)
        #expect(try await world.pixelfed.notify("alice").statuses == [201, 201])
        try await phone.relay.markRead(onPhone.subscription)
        _ = try await world.pixelfed.notify("alice")
        #expect(try await world.badges(on: phone) == [1, 1])
        #expect(try await world.badges(on: tablet) == [1, 2])
    }

    @Test func `what fails on one device is tried again, and shown once on the other`() async throws {
        let world = try await World()
        let (phone, tablet) = (world.phone(), world.phone(deviceToken: freshToken("fa112")))
        _ = try await phone.signIn("alice", at: world.pixelfed)
        _ = try await tablet.signIn("alice", at: world.pixelfed)
        let sending = try await world.pixelfed.notify("alice")
        #expect(sending.statuses == [201, 502, 201, 502, 201, 201])
        #expect(try await world.badges(on: phone) == [1])
        #expect(try await world.badges(on: tablet) == [1, 1, 1])
    }

    @Test func `an app that registers at every start replaces what it had`() async throws {
        let world = try await World()
        let phone = world.phone()
        let first = try await phone.signIn("alice", at: world.pixelfed)
        let second = try await phone.register("alice", at: world.pixelfed, accessToken: first.accessToken)
        #expect(first.subscription.endpoint != second.subscription.endpoint)

        // The instance learns with the next notification that the first one is gone, and the phone shows it once.
        #expect(try await world.pixelfed.notify("alice").statuses == [404, 201])
        #expect(try await world.pixelfed.endpoints(of: "alice") == [second.subscription.endpoint])
        #expect(try await world.badges(on: phone) == [1])
        await #expect(throws: RelayClientError.registerAnew) {
            try await phone.relay.status(of: first.subscription)
        }
    }

    @Test func `a device with a new token leaves nothing behind under the old one`() async throws {
        let world = try await World()
        let before = world.phone()
        let old = try await before.signIn("alice", at: world.pixelfed)
        let after = world.phone()
        let new = try await after.register("alice", at: world.pixelfed, accessToken: old.accessToken)
        try await after.relay.unsubscribe(old.subscription)

        #expect(try await world.pixelfed.notify("alice").statuses == [404, 201])
        #expect(try await world.pixelfed.endpoints(of: "alice") == [new.subscription.endpoint])
        #expect(try await world.notifications(on: before).isEmpty)
        #expect(try await world.badges(on: after) == [1])
    }
}
