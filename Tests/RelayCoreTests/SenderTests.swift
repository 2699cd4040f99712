import Crypto
import Foundation
import RelayCore
import RelayTesting
import Testing

@testable import HTTPServer

@Suite("The servers of the fediverse and their libraries") struct SenderTests {
    private static let origin = "https://push.example.org"

    /// Registers a device whose messages come from one sender alone, where a key is given.
    private func subscribe(_ relay: TestRelay, key: String? = nil) async throws -> TestSubscription {
        let device = freshToken()
        let key = key.map { #","vapid_key":"\#($0)""# } ?? ""
        let response = await relay.app("POST", "/subscribe", #"{"device_token":"\#(device)"\#(key)}"#)
        try #require(response.status == 201, "\(response.text)")
        return try TestSubscription(response, deviceToken: device)
    }

    /// The alert that Apple got of a payload.
    private func alert(_ payload: String) throws -> [String: String] {
        let object = try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any]
        return try #require((object?["aps"] as? [String: Any])?["alert"] as? [String: String])
    }

    /// Posts what a sender posts and compares what Apple sees.
    private func deliver(
        _ sender: FediverseSender,
        to subscription: TestSubscription,
        of relay: TestRelay,
        signer: VAPIDSigner,
        origin: String
    ) async throws {
        let request = try sender.request(to: subscription, signer: signer, origin: origin, now: relay.clock.now)
        if let length = sender.length { #expect(request.body.count == length) }
        let response = await relay.request("POST", subscription.path, fields: request.fields, body: request.body)
        #expect(response.status == 201, "\(response.text)")
        #expect(response.body == [])
        #expect(response.value("TTL") == "\(sender.timeToLive)")

        let requests = try await relay.apple.requests(for: subscription.deviceToken)
        let seen = try #require(requests.first)
        #expect(requests.count == 1)
        #expect(seen.remarks == [])
        let alert = try alert(seen.payload)
        #expect(alert["title", default: ""] == sender.title)
        #expect(alert["body"] == sender.body)
        #expect(seen.headers["apns-priority"] == "10")
        let expiration = sender.timeToLive == 0 ? 0 : relay.clock.now + sender.timeToLive
        #expect(seen.headers["apns-expiration"] == "\(expiration)")
        #expect(!seen.payload.contains(FediverseSender.accessToken))
        #expect(!seen.payload.contains("access_token"))
        let log = relay.logLines.joined()
        #expect(!log.contains(FediverseSender.accessToken))
        #expect(!log.contains(sender.body))
    }

    @Test(arguments: FediverseSender.all, [origin, "https://push.example.org:8443"])
    func `what a server signs and sends arrives word for word`(sender: FediverseSender, origin: String) async throws {
        let relay = try await TestRelay(publicURL: origin)
        let signer = try VAPIDSigner()
        // pywebpush names its key in the new scheme even where its coding is the old one, so every row can sign.
        let subscription = try await subscribe(relay, key: signer.publicKey)
        try await deliver(sender, to: subscription, of: relay, signer: signer, origin: origin)
    }

    @Test(arguments: FediverseSender.all)
    func `a subscription without a key takes the same and does not look who signed`(
        sender: FediverseSender
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await subscribe(relay)
        let stranger = try VAPIDSigner()
        try await deliver(sender, to: subscription, of: relay, signer: stranger, origin: "https://other.example")
    }

    @Test(arguments: FediverseSender.all)
    func `nobody else can send in a server's place`(sender: FediverseSender) async throws {
        let relay = try await TestRelay()
        let subscription = try await subscribe(relay, key: VAPIDSigner().publicKey)
        let request = try sender.request(
            to: subscription,
            signer: VAPIDSigner(),
            origin: Self.origin,
            now: relay.clock.now
        )
        let forged = await relay.request("POST", subscription.path, fields: request.fields, body: request.body)
        #expect(forged.status == 403)
        let unsigned = await relay.request(
            "POST",
            subscription.path,
            fields: request.fields.filter { $0.name.lowercased() != "authorization" },
            body: request.body
        )
        #expect(unsigned.status == 401)
        #expect(try await relay.apple.requests(for: subscription.deviceToken).isEmpty)
    }

    @Test(arguments: FediverseSender.all)
    func `what a server sends is small enough to be served however much is held of others`(
        sender: FediverseSender
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let signer = try VAPIDSigner()
        let sent = try sender.request(to: subscription, signer: signer, origin: Self.origin, now: relay.clock.now)
        // What the proxy adds.
        let added = [
            ("X-Real-IP", "2001:db8:85a3:8d3:1319:8a2e:370:7348"), ("X-Forwarded-Proto", "https"),
            ("X-Forwarded-For", "2001:db8:85a3:8d3:1319:8a2e:370:7348, 2001:db8:85a3:8d3:1319:8a2e:370:7349"),
        ]
        // The client adds it itself.
        let fields = sent.fields.filter { $0.name.lowercased() != "content-length" } + added
        let request = HTTPRequest("POST", subscription.path, fields: fields, body: sent.body)
        let limits = Limits()
        var parser = RequestParser(limits: limits, bodyRule: Routes.bodyRule)
        var octets = request.octets.dropLast()
        #expect(try parser.consume(&octets) == nil)
        #expect(parser.heldOctets > sent.body.count)
        #expect(octets.count + parser.heldOctets <= limits.smallRequestOctets)
        octets += request.octets.suffix(1)
        let parsed = try #require(try parser.consume(&octets))
        #expect(parsed.request.heldOctets <= limits.smallRequestOctets)
    }

    @Test func `the names of members that Misskey packs become the app's`() async throws {
        let relay = try await TestRelay()
        let sender = try #require(FediverseSender.all.first { $0.name == "Misskey" })
        let request = try await relay.accepted(sender.payload, to: relay.subscribe())
        #expect(
            request.payload == """
                {"account_id":"9u1","aps":{"alert":{"body":"vinz","title":"New reaction"},"badge":1,\
                "sound":"default"},"notification_type":"reaction","status_id":"9n1"}
                """
        )
    }

    @Test(arguments: [(2_819, 2_922), (2_820, 2_923), (3_993, 4_096), (4_078, 4_181)])
    func `a long message of minishlink is taken whole, up to its 4,181 octets`(
        length: Int,
        octets: Int
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await subscribe(relay)
        let frame = #"{"title":"New Comment","body":""}"#
        let text = String(repeating: "b", count: length - frame.utf8.count)
        var sender = subscription.sender
        sender.recordSize = 4_096
        sender.padding = max(0, 2_820 - length - 1)
        let body = try sender.encrypt(Array(#"{"title":"New Comment","body":"\#(text)"}"#.utf8))
        #expect(body.count == octets)
        let fields = [(name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: "2419200")]
        #expect(await relay.request("POST", subscription.path, fields: fields, body: body).status == 201)
        let seen = try #require(try await relay.apple.requests(for: subscription.deviceToken).first)
        #expect(seen.payloadOctets <= 4_096)
        #expect(seen.remarks == [])
    }
}
