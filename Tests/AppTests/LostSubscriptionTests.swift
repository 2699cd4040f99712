import RelayClient
import RelayTesting
import Testing

/// Subscriptions that go without the app's doing.
@Suite(.fewAtATime)
struct LostSubscriptionTests {
    @Test func `a subscription whose device Apple disowns is gone everywhere, and is registered anew`() async throws {
        let world = try await World()
        let phone = world.phone()
        let alice = try await phone.signIn("alice", at: world.pixelfed)
        #expect(try await world.pixelfed.notify("alice").statuses == [201])
        try await world.apple.perform("answer \(phone.deviceToken) 410 Unregistered")
        #expect(try await world.pixelfed.notify("alice").statuses == [404])
        #expect(try await world.pixelfed.endpoints(of: "alice").isEmpty)

        // What the app finds when it is opened.
        await #expect(throws: RelayClientError.registerAnew) {
            try await phone.relay.status(of: alice.subscription)
        }
        await #expect(throws: RelayClientError.registerAnew) {
            try await phone.relay.sendTest(to: alice.subscription)
        }
        // What else it does of itself is no error.
        try await phone.relay.setUnread(3, for: alice.subscription)
        try await phone.relay.markRead(alice.subscription)
        try await phone.relay.setBadges(enabled: true, for: alice.subscription)

        let again = world.phone()
        let anew = try await again.register("alice", at: world.pixelfed, accessToken: alice.accessToken)
        #expect(try await world.pixelfed.notify("alice").statuses == [201])
        #expect(try await world.badges(on: again) == [1])
        #expect(try await again.relay.status(of: anew.subscription).lastAcceptedAt != nil)
    }

    @Test func `a failure at Apple costs no subscription, and the app is told of it`() async throws {
        let world = try await World()
        let phone = world.phone()
        let alice = try await phone.signIn("alice", at: world.pixelfed)
        try await world.apple.perform("answer \(phone.deviceToken) 503 ServiceUnavailable")
        #expect(try await world.pixelfed.notify("alice").statuses == [502, 502, 502])
        let failure = try #require(try await phone.relay.status(of: alice.subscription).lastFailure)
        #expect(!failure.message.isEmpty)

        try await world.apple.perform("answer \(phone.deviceToken) -")
        #expect(try await world.pixelfed.notify("alice").statuses == [201])
        let status = try await phone.relay.status(of: alice.subscription)
        #expect(try #require(status.lastAcceptedAt) >= failure.at)
        // Three tries of a notification that nobody saw count nothing.
        #expect(status.badge == 1)
    }

    @Test func `the eleventh device of a user costs the first its place at the instance, until it registers again`()
        async throws
    {
        let world = try await World()
        let phones = (0...10).map { _ in world.phone() }
        var accounts: [Phone.Account] = []
        for phone in phones { accounts.append(try await phone.signIn("alice", at: world.pixelfed)) }
        #expect(try await world.pixelfed.notify("alice").statuses == Array(repeating: 201, count: 10))
        for phone in phones.dropFirst() { #expect(try await world.badges(on: phone) == [1]) }
        #expect(try await world.badges(on: phones[0]) == [])

        // The relay still has it, so that the app keeps its subscription and hands it over once more.
        #expect(try await phones[0].relay.status(of: accounts[0].subscription).lastAcceptedAt == nil)
        let registration = try await accounts[0].instance.register(accounts[0].subscription)
        #expect(registration.endpoint == accounts[0].subscription.endpoint)
        #expect(try await world.pixelfed.notify("alice").statuses == Array(repeating: 201, count: 10))
        #expect(try await world.badges(on: phones[0]) == [1])
        #expect(try await world.badges(on: phones[1]) == [1])
        #expect(try await world.badges(on: phones[2]) == [1, 2])
    }

    @Test func `an endpoint that another user registers is that user's alone`() async throws {
        let world = try await World()
        let phone = world.phone()
        let alice = try await phone.signIn("alice", at: world.pixelfed)
        let accessToken = try await world.pixelfed.signIn("bob")
        let bob = PixelfedClient(instance: world.pixelfed.url, accessToken: accessToken)
        _ = try await bob.register(alice.subscription)
        #expect(try await world.pixelfed.endpoints(of: "alice").isEmpty)
        #expect(try await world.pixelfed.notify("bob").statuses == [201])
    }
}
