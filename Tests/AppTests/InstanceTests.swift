import RelayClient
import RelayTesting
import Testing

/// What an instance refuses, and what another one may not.
@Suite(.fewAtATime)
struct InstanceTests {
    /// A client whose access token has these scopes.
    private func client(
        of pixelfed: PixelfedSimulator,
        scopes: [String] = ["read", "push"]
    ) async throws -> PixelfedClient {
        let accessToken = try await pixelfed.signIn("alice", scopes: scopes)
        return PixelfedClient(instance: pixelfed.url, accessToken: accessToken)
    }

    @Test func `an access token without the scope push has to be asked for with it`() async throws {
        let world = try await World()
        let phone = world.phone()
        let subscription = try await phone.subscribe()
        let instance = try await client(of: world.pixelfed, scopes: ["read", "write"])
        await #expect(throws: PixelfedError.missingScope) { try await instance.register(subscription) }
        await #expect(throws: PixelfedError.missingScope) { try await instance.delete() }
        #expect(try await instance.vapidKey() == world.pixelfed.vapidKey)
    }

    @Test func `an access token that was taken back has the user sign in again`() async throws {
        let world = try await World()
        let phone = world.phone()
        let alice = try await phone.signIn("alice", at: world.pixelfed)
        try await world.pixelfed.revoke(alice.accessToken)
        await #expect(throws: PixelfedError.signInAgain) { try await alice.instance.register(alice.subscription) }
        await #expect(throws: PixelfedError.signInAgain) { try await alice.instance.delete() }
    }

    @Test func `an instance without keys of its own has no push`() async throws {
        let world = try await World()
        let phone = world.phone()
        let pixelfed = try await PixelfedSimulator("--without-vapid")
        let instance = try await client(of: pixelfed)
        #expect(try await instance.vapidKey() == nil)
        let subscription = try await phone.subscribe()
        await #expect(throws: PixelfedError.pushNotAvailable) { try await instance.register(subscription) }
    }

    @Test func `an endpoint that an instance does not like is refused with its words`() async throws {
        let world = try await World()
        let phone = world.phone()
        try await world.pixelfed.resolve(to: nil)
        let instance = try await client(of: world.pixelfed)
        let subscription = try await phone.subscribe()
        await #expect(
            throws: PixelfedError.refused(message: "The subscription.endpoint host could not be resolved.")
        ) {
            try await instance.register(subscription)
        }
    }

    @Test(arguments: [503, 429, 500])
    func `an instance that cannot do it now is asked again later`(status: Int) async throws {
        let world = try await World()
        let instance = PixelfedClient(
            instance: world.pixelfed.url,
            accessToken: try await world.pixelfed.signIn("alice"),
            retryPolicy: .none
        )
        let subscription = try await world.phone().subscribe()
        try await world.pixelfed.answer(status)
        let error = await #expect(throws: PixelfedError.self) { try await instance.register(subscription) }
        guard case .askAgainLater = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await instance.register(subscription).endpoint == subscription.endpoint)
    }

    @Test func `another instance that knows an endpoint and its keys is not heard`() async throws {
        let world = try await World()
        let phone = world.phone()
        let alice = try await phone.signIn("alice", at: world.pixelfed)
        let other = try await PixelfedSimulator("--domain", "pixels.invalid")
        try await other.resolve(to: world.relay.address)
        _ = try await client(of: other).register(alice.subscription)
        #expect(try await other.notify("alice").statuses == [403, 403, 403])
        #expect(try await world.notifications(on: phone).isEmpty)
        #expect(try await world.pixelfed.notify("alice").statuses == [201])
        #expect(try await world.badges(on: phone) == [1])
    }
}
