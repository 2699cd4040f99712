import Foundation
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore

@Suite("What the sender asks for") struct PushHeaderTests {
    /// Pushes something new with these fields beside the coding.
    private func push(
        _ fields: [(name: String, value: String)],
        _ json: String = TestRelay.freshComment(),
        to subscription: TestSubscription,
        of relay: TestRelay
    ) async throws -> Response {
        try await relay.push(json, to: subscription, fields: [("Content-Encoding", "aes128gcm")] + fields)
    }

    /// The collapse id under which Apple gets a message.
    private func collapseID(
        _ topic: String?,
        _ json: String = TestRelay.freshComment(),
        to subscription: TestSubscription,
        of relay: TestRelay
    ) async throws -> String? {
        let fields = topic.map { [(name: "Topic", value: $0)] } ?? []
        let response = try await push(fields, json, to: subscription, of: relay)
        try #require(response.status == 201, "\(response.text)")
        let request = try #require(try await relay.apple.requests(for: subscription.deviceToken).last)
        #expect(request.remarks == [])
        return request.headers["apns-collapse-id"]
    }

    private func like(_ status: String) -> String {
        #"{"notification_type":"like","title":"t","body":"\#(UUID().uuidString)","status_id":"\#(status)"}"#
    }

    @Test(arguments: [
        ("very-low", "5"), ("low", "5"), ("normal", "10"), ("high", "10"), (nil, "10"), ("HIGH", "10"),
        ("Very-Low", "5"),
    ])
    func `an urgency becomes the priority`(urgency: String?, priority: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let fields = urgency.map { [(name: "Urgency", value: $0)] } ?? []
        #expect(try await push(fields, to: subscription, of: relay).status == 201)
        let request = try await relay.apple.firstRequest(for: subscription.deviceToken)
        #expect(request.headers["apns-priority"] == priority)
    }

    @Test(
        arguments: [
            ["medium"], [""], ["5"], ["very low"], ["verylow"], ["low, high"], ["low,low"], ["low;q=1"], ["ｌｏｗ"],
            ["low\u{0}"], ["low", "low"], ["low", "high"],
        ]
    )
    func `an urgency that is none of the four words, or comes twice, is answered 400`(values: [String]) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let response = try await push(values.map { ("Urgency", $0) }, to: subscription, of: relay)
        #expect(response.status == 400)
        #expect(response.errorWord == "malformed_urgency")
        #expect(try await relay.apple.requests(for: subscription.deviceToken).isEmpty)
    }

    @Test(arguments: ["a", "A-Za-z0-9_-", "0123456789abcdef0123456789abcdef", "--------------------------------"])
    func `a topic becomes a collapse id of at most 64 octets of base64url`(topic: String) async throws {
        let relay = try await TestRelay()
        let id = try #require(try await collapseID(topic, to: relay.subscribe(), of: relay))
        #expect((1...64).contains(id.utf8.count))
        #expect(id.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil)
        #expect(id != topic)
    }

    @Test(
        arguments: [
            [""], ["0123456789abcdef0123456789abcdef0"], ["two words"], ["a,b"], ["a=="], ["a+b"], ["a/b"], ["é"],
            ["a\u{0}"], ["a", "a"], ["a", "b"],
        ]
    )
    func `a topic that is not 1 to 32 letters of base64url, or comes twice, is answered 400`(
        values: [String]
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let response = try await push(values.map { ("Topic", $0) }, to: subscription, of: relay)
        #expect(response.status == 400)
        #expect(response.errorWord == "malformed_topic")
        #expect(try await relay.apple.requests(for: subscription.deviceToken).isEmpty)
    }

    @Test func `one topic is one banner on its subscription, and another on every other one`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        let alice = try await relay.subscribe(device, account: "alice")
        let bob = try await relay.subscribe(device, account: "bob")
        let first = try await collapseID("topic", to: alice, of: relay)
        #expect(first != nil)
        #expect(try await collapseID("topic", to: alice, of: relay) == first)
        #expect(try await collapseID("Topic", to: alice, of: relay) != first)
        #expect(try await collapseID("topic", to: bob, of: relay) != first)
    }

    @Test func `a topic goes before the rule for likes`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let byTopic = try await collapseID("topic", like("1"), to: subscription, of: relay)
        #expect(try await collapseID("topic", like("2"), to: subscription, of: relay) == byTopic)
        #expect(try await collapseID("other", like("1"), to: subscription, of: relay) != byTopic)
        #expect(try await collapseID(nil, like("1"), to: subscription, of: relay) != byTopic)
    }

    @Test func `a topic that is the id of a status does not collapse with the likes of that status`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let byStatus = try await collapseID(nil, like("1"), to: subscription, of: relay)
        #expect(byStatus != nil)
        #expect(try await collapseID("1", to: subscription, of: relay) != byStatus)
    }

    @Test(arguments: [["60", "60"], ["0", "60"]])
    func `a TTL that comes twice is answered 400`(values: [String]) async throws {
        let relay = try await TestRelay()
        let response = try await push(values.map { ("TTL", $0) }, to: relay.subscribe(), of: relay)
        #expect(response.status == 400)
        #expect(response.errorWord == "malformed_ttl")
    }

    @Test func `names of fields are read without regard to case`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let fields = [(name: "urgency", value: "low"), (name: "TOPIC", value: "t"), (name: "Ttl", value: "0")]
        #expect(try await push(fields, to: subscription, of: relay).status == 201)
        let request = try await relay.apple.firstRequest(for: subscription.deviceToken)
        #expect(request.headers["apns-priority"] == "5")
        #expect(request.headers["apns-expiration"] == "0")
        #expect(request.headers["apns-collapse-id"] != nil)
    }

    @Test func `a malformed field of an unknown endpoint is the sender's fault before it is anything else`()
        async throws
    {
        let relay = try await TestRelay()
        let fields = [(name: "Urgency", value: "soon")]
        #expect(await relay.request("POST", "/wp/unknown", fields: fields, body: [1]).status == 400)
    }
}
