import Crypto
import HTTPServer
import RelayTesting
import Testing
import WebPush

@testable import RelayCore
@testable import Store

extension TestRelay {
    /// How many pushes ``meetEveryOutcome()`` has come to each outcome.
    static let everyOutcome: [PushOutcome: Int] = [
        .accepted: 1, .repeated: 1, .gone: 4, .unknown: 1, .refused: 2, .limited: 2, .misconfigured: 1, .guarded: 1,
        .failed: 1, .overloaded: 1, .unavailable: 1, .internal: 1,
    ]

    /// A relay, with a burst of 2, in which a push has come to each outcome there is.
    static func meetingEveryOutcome() async throws -> TestRelay {
        let relay = try await TestRelay(burst: 2)
        try await relay.meetEveryOutcome()
        return relay
    }

    private func meetEveryOutcome() async throws {
        let living = try await subscribe()
        let body = try living.sender.encrypt(Array(TestRelay.like.utf8))
        for status in [201, 201, 429] { try await expect(status, of: living.path, body) }
        let crooked = try await subscribe()
        for status in [400, 400, 429] { try await expect(status, of: crooked.path, []) }
        try await expect(404, of: "/wp/unknown", body)

        let answers = [("dead", 404), ("bad0", 404), ("bad0", 404), ("bad0", 404), ("bad0", 502)]
        for (prefix, status) in answers + [("c0de06", 502), ("fa11f", 502)] {
            #expect(try await push(to: subscribe(freshToken(prefix))).status == status)
        }
        let unusable = try await unusable()
        #expect(try await push(to: unusable).status == 500)
        #expect(try await row(of: unusable)?.badgeCount == 0)

        let last = try await subscribe()
        services.stop()
        #expect(try await push(to: last).status == 503)
        try await store.close()
        try await expect(503, of: last.path, body)
    }

    private func expect(_ status: Int, of path: String, _ body: [UInt8]) async throws {
        let fields = [(name: "Content-Encoding", value: "aes128gcm")]
        #expect(await request("POST", path, fields: fields, body: body).status == status)
    }

    /// A subscription whose device token no release of the relay would have stored.
    private func unusable() async throws -> TestSubscription {
        let keys = try ReceiverKeys()
        let registration = Registration(
            id: SubscriptionID(hashing: Array("unusable".utf8)),
            deviceToken: "no token",
            account: "",
            label: "",
            privateKey: keys.privateKey.scalar,
            authSecret: keys.authSecret,
            createdAt: 0
        )
        _ = try await store.register(registration)
        return TestSubscription(id: "unusable", keys: keys)
    }

    /// The numbers as the program would have them.
    func snapshot() async -> Snapshot {
        var snapshot = meters.snapshot()
        snapshot.apple = services.traffic
        snapshot.providerTokenAge = .seconds(1)
        snapshot.isDeletionGuardClosed = try? await store.isGuarded()
        snapshot.process.read()
        return snapshot
    }
}
