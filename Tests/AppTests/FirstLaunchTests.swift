import Foundation
import RelayClient
import RelayTesting
import Testing

/// From an app that has just been installed to the first banner.
@Suite(.fewAtATime)
struct FirstLaunchTests {
    @Test func `an app that is opened for the first time gets its first notification`() async throws {
        let world = try await World()
        let phone = world.phone()
        let alice = try await phone.signIn("alice", at: world.pixelfed)

        #expect(alice.subscription.endpoint.absoluteString.hasPrefix("https://push.example.org/wp/"))
        #expect(alice.registration.endpoint == alice.subscription.endpoint)
        #expect(alice.registration.serverKey == world.pixelfed.vapidKey)
        let status = try await phone.relay.status(of: alice.subscription)
        #expect(status.environment == .production)
        #expect(status.isVAPIDKeyPinned)
        #expect(status.badgesEnabled)
        #expect(status.lastAcceptedAt == nil && status.lastFailure == nil)

        #expect(try await world.pixelfed.notify("alice", "comment", by: "Żółw/🐢").statuses == [201])
        let shown = try #require(try await world.notifications(on: phone).first)
        #expect(
            shown.payload == """
                {"account":"alice@pixels.example","account_id":"961576165188272129",\
                "aps":{"alert":{"body":"Żółw/🐢 commented on your post","title":"New Comment"},"badge":1,\
                "sound":"default"},"notification_type":"comment","status_id":"988149955134320972"}
                """
        )
        #expect(shown.remarks == [])
        let tapped = try #require(shown.tapped)
        #expect(tapped.account == "alice@pixels.example")
        #expect(tapped.destination == .status("988149955134320972"))
    }

    private static let tapped: [(kind: String, status: String?, destination: PushPayload.Destination)] = [
        ("like", "988149955134320972", .status("988149955134320972")),
        ("comment", "988149955134320972", .status("988149955134320972")),
        ("mention", "988149955134320972", .status("988149955134320972")),
        // A direct message is a mention in no status that could be opened.
        ("mention", nil, .profile("961576165188272129")),
        ("follow", nil, .profile("961576165188272129")),
        ("follow_request", nil, .profile("961576165188272129")),
    ]

    @Test(arguments: tapped)
    func `a notification opens what it tells of`(
        kind: String,
        status: String?,
        destination: PushPayload.Destination
    ) async throws {
        let world = try await World()
        let phone = world.phone()
        _ = try await phone.signIn("alice", at: world.pixelfed)
        _ = try await world.pixelfed.notify("alice", kind, status: status)
        #expect(try await world.notifications(on: phone).map(\.tapped?.destination) == [destination])
    }

    @Test func `what an app kept is all that it needs when it is opened again, also by a relay that was restarted`()
        async throws
    {
        let world = try await World()
        let before = world.phone()
        let keychain = try JSONEncoder().encode(try await before.signIn("alice", at: world.pixelfed).subscription)
        await world.relay.stop()

        let relay = try await RunningRelay(apple: world.apple, in: world.relay.folder)
        try await world.pixelfed.resolve(to: relay.address)
        let phone = Phone(relay.url, deviceToken: before.deviceToken)
        let kept = try JSONDecoder().decode(PushSubscription.self, from: keychain)
        #expect(kept.deviceToken == phone.deviceTokenOctets)
        try await phone.relay.setUnread(4, for: kept)
        #expect(try await world.pixelfed.notify("alice").statuses == [201])
        #expect(try await world.badges(on: phone) == [5])
    }

    @Test func `a test message is shown, and is none that is unread`() async throws {
        let world = try await World()
        let phone = world.phone()
        let alice = try await phone.signIn("alice", at: world.pixelfed)
        let report = try await phone.relay.sendTest(to: alice.subscription)
        #expect(report.isAccepted)
        #expect(report.error == nil && report.remedy == nil)
        #expect(try #require(report.totalTime) >= #require(report.appleTime))
        #expect(try await world.notifications(on: phone).count == 1)

        let status = try await phone.relay.status(of: alice.subscription)
        #expect(status.badge == 0)
        #expect(try #require(status.lastAcceptedAt) >= status.createdAt)
        _ = try await world.pixelfed.notify("alice")
        #expect(try await world.badges(on: phone).last == 1)
    }

    @Test func `a test message that Apple refuses says why and what to do`() async throws {
        let world = try await World()
        let phone = world.phone()
        let alice = try await phone.signIn("alice", at: world.pixelfed)
        try await world.apple.perform("answer \(phone.deviceToken) 403 InvalidProviderToken")
        let report = try await phone.relay.sendTest(to: alice.subscription)
        #expect(!report.isAccepted)
        #expect(report.error == .appleFailed)
        #expect(report.remedy?.isEmpty == false)
        let status = try await phone.relay.status(of: alice.subscription)
        #expect(status.lastAcceptedAt == nil)
        #expect(status.lastFailure?.message.isEmpty == false)
    }
}
