import Foundation
import RelayCore
import RelayTesting
import Testing

@Suite(.fewAtATime) struct DeliveryTests {
    @Test func `Apple gets the words, the ids and the account, and nothing else of a message`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let endpoint = try await relay.subscribe(device, account: "alice@pixels.example", label: "Alice's phone")
        #expect(endpoint.endpoint == "https://push.example.org/wp/\(endpoint.subscription_id)")
        #expect(endpoint.p256dh.octets.count == 65)
        #expect(endpoint.auth.octets.count == 16)

        let answer = try await relay.push(
            """
            {"access_token":"s3cret","preferred_locale":"en","notification_type":"follow_request",
             "title":"New Follow Request","body":"vinz wants to follow you \u{1F98A}",
             "account_id":961576165188272129,"status_id":"988149955134320972","icon":null,"account":"mallory"}
            """,
            to: endpoint
        )
        #expect(answer.status == 201)
        #expect(answer.body == [])

        let requests = try await apple.requests(for: device)
        #expect(
            requests.map(\.payload) == [
                """
                {"account":"alice@pixels.example","account_id":"961576165188272129",\
                "aps":{"alert":{"body":"vinz wants to follow you \u{1F98A}","title":"New Follow Request"},\
                "badge":1,"sound":"default"},\
                "notification_type":"follow_request","status_id":"988149955134320972"}
                """
            ]
        )
        #expect(requests.flatMap(\.remarks) == [])
        #expect(requests.first?.headers["authorization"] == "valid")
        #expect(requests.first?.headers["apns-collapse-id"] == nil)
    }

    @Test func `a message without ids for a subscription without account is an alert alone`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple, [.sounds: "like=none"])
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        #expect(try await relay.answer("POST", endpoint.settings("badges"), json: #"{"enabled":false}"#).status == 204)
        #expect(try await relay.push(to: endpoint).status == 201)
        #expect(
            try await apple.requests(for: device).map(\.payload) == [
                #"{"aps":{"alert":{"body":"vinz liked your post","title":"New Like"}},"notification_type":"like"}"#
            ]
        )
    }

    @Test func `the badge is the sum over a device's accounts and follows what the app reports`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let alice = try await relay.subscribe(device, account: "alice@pixels.example")
        let bob = try await relay.subscribe(device, account: "bob@pixels.example")
        let answers = [
            try await relay.push(to: alice), try await relay.push(to: bob), try await relay.push(to: alice),
            try await relay.answer("POST", alice.settings("read")), try await relay.push(to: bob),
            try await relay.answer("POST", bob.settings("unread"), json: #"{"count":40}"#),
            try await relay.push(to: alice),
        ]
        #expect(answers.map(\.status) == [201, 201, 201, 204, 201, 204, 201])
        #expect(try await apple.requests(for: device).map(\.badge) == [1, 2, 3, 2, 41])
    }

    @Test(arguments: [("dead", 1), ("bad0", 1)])
    func `a device that Apple calls gone is forgotten, and Apple is asked no more`(
        prefix: String,
        requests: Int
    ) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken(prefix)
        let endpoint = try await relay.subscribe(device)
        let statuses = [try await relay.push(to: endpoint).status, try await relay.push(to: endpoint).status]
        #expect(statuses == [404, 404])
        #expect(await relay.stop() == 0)

        let restarted = try await RelayProgram(apple: apple, in: relay.folder)
        #expect(try await restarted.push(to: endpoint).status == 404)
        #expect(try await apple.requests(for: device).count == requests)
    }

    @Test(arguments: ["fa112", "4e5e24"])
    func `a notification that Apple takes at the third try counts once`(prefix: String) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken(prefix)
        let endpoint = try await relay.subscribe(device)
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(try await relay.push(to: endpoint).status) }
        #expect(statuses == [502, 502, 201])
        #expect(try await Set(apple.requests(for: device).map(\.badge)) == [1])
    }

    @Test func `an endpoint that was replaced or deleted answers 404 and reaches nobody`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let old = try await relay.subscribe(device, account: "alice@pixels.example")
        let new = try await relay.subscribe(device.uppercased(), account: "alice@pixels.example")
        #expect(try await relay.push(to: old).status == 404)
        #expect(try await relay.answer("DELETE", new.settings()).status == 204)
        #expect(try await relay.push(to: new).status == 404)
        #expect(try await apple.requests(for: device).count == 0)
    }

    @Test func `no answer of the app's routes may be cached`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let body = #"{"device_token":"\#(freshToken())"}"#
        let answers = [
            try await relay.answer("POST", "/subscribe", json: body),
            try await relay.answer("POST", "/subscribe", json: "no JSON"),
            try await relay.answer("POST", "/subscribe", json: body, token: nil),
            try await relay.answer("POST", "/subscribe/unknown/read"),
            try await relay.answer("DELETE", "/subscribe/unknown"),
        ]
        #expect(answers.map(\.status) == [201, 400, 401, 204, 204])
        #expect(answers.map { $0.values("Cache-Control") } == Array(repeating: ["no-store"], count: 5))
    }
}

extension Endpoint {
    /// The app's path for this subscription.
    func settings(_ name: String? = nil) -> String {
        "/subscribe/\(subscription_id)" + (name.map { "/\($0)" } ?? "")
    }
}
