import Crypto
import Foundation
import HTTPServer
import RelayTesting
import Testing

@Suite("A subscription with a key (RFC 8292)") struct SenderIdentityTests {
    private static let origin = "https://push.example.org"
    private let signer: VAPIDSigner

    init() throws { signer = try VAPIDSigner() }

    private func subscribe(_ relay: TestRelay, key: String) async throws -> TestSubscription {
        let device = freshToken()
        let json = #"{"device_token":"\#(device)","vapid_key":"\#(key)"}"#
        let response = await relay.app("POST", "/subscribe", json)
        try #require(response.status == 201, "\(response.text)")
        return try TestSubscription(response, deviceToken: device)
    }

    /// Pushes a fresh message with this `Authorization`, or without one.
    private func push(
        _ authorization: String?,
        to subscription: TestSubscription,
        of relay: TestRelay
    ) async throws -> Response {
        var fields = [(name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: "60")]
        if let authorization { fields.append((name: "Authorization", value: authorization)) }
        return try await relay.push(TestRelay.freshComment(), to: subscription, fields: fields)
    }

    private func signed(_ relay: TestRelay, validFor seconds: Int64 = 43_200) throws -> String {
        try signer.vapid(signer.token(audience: Self.origin, expiration: relay.clock.now + seconds))
    }

    @Test func `a message that is signed by the key arrives`() async throws {
        let relay = try await TestRelay()
        let subscription = try await subscribe(relay, key: signer.publicKey)
        #expect(try await push(signed(relay), to: subscription, of: relay).status == 201)
        #expect(try await relay.apple.requests(for: subscription.deviceToken).count == 1)
    }

    @Test func `V79: a message that is encrypted with the key that signs is answered 400, and one with its own is not`()
        async throws
    {
        let relay = try await TestRelay()
        let subscription = try await subscribe(relay, key: signer.publicKey)
        for (key, status) in [(signer.key, 400), (try P256PrivateKey(), 201)] {
            var sender = subscription.sender
            sender.key = key
            let response = await relay.request(
                "POST",
                subscription.path,
                fields: [("Content-Encoding", "aes128gcm"), ("TTL", "60"), ("Authorization", try signed(relay))],
                body: try sender.encrypt(Array(TestRelay.freshComment().utf8))
            )
            #expect(response.status == status)
            #expect(response.errorWord == (status == 400 ? "signing_key_reused" : nil))
        }
    }

    @Test(arguments: [nil, "", "vapid", "Bearer x", "WebPush x", "vapid t=x", "vapid t"])
    func `a message that shows nothing is answered 401 and told what to show`(authorization: String?) async throws {
        let relay = try await TestRelay()
        let subscription = try await subscribe(relay, key: signer.publicKey)
        let response = try await push(authorization, to: subscription, of: relay)
        #expect(response.status == 401)
        #expect(response.value("WWW-Authenticate") == "vapid")
        #expect(response.errorWord == "vapid_missing")
        #expect(try await relay.apple.requests(for: subscription.deviceToken).isEmpty)
    }

    @Test(
        arguments: [
            "another key", "another signature", "another audience", "expired", "too long", "no token", "no key",
        ]
    )
    func `a message that shows something wrong is answered 403, never 404`(wrong: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await subscribe(relay, key: signer.publicKey)
        let other = try VAPIDSigner()
        let now = relay.clock.now
        let forms: [String: (field: String, word: String)] = [
            "another key": (
                try other.vapid(other.token(audience: Self.origin, expiration: now + 60)), "vapid_other_key"
            ),
            "another signature": (
                try signer.vapid(other.token(audience: Self.origin, expiration: now + 60)), "vapid_bad_signature"
            ),
            "another audience": (
                try signer.vapid(signer.token(audience: "https://a.example", expiration: now + 60)),
                "vapid_other_audience"
            ),
            "expired": (try signed(relay, validFor: -1), "vapid_expired"),
            "too long": (try signed(relay, validFor: 86_461), "vapid_too_long_lived"),
            "no token": (signer.vapid("a.b.c"), "vapid_malformed"),
            "no key": ("vapid t=a.b.c, k=x", "vapid_other_key"),
        ]
        let form = try #require(forms[wrong])
        let response = try await push(form.field, to: subscription, of: relay)
        #expect(response.status == 403)
        #expect(response.errorWord == form.word)
        #expect(try await relay.apple.requests(for: subscription.deviceToken).isEmpty)
        #expect(try await relay.row(of: subscription) != nil)
    }

    @Test func `of two fields of Authorization neither is shown, whichever comes first`() async throws {
        let relay = try await TestRelay()
        let subscription = try await subscribe(relay, key: signer.publicKey)
        let coding = [(name: "Content-Encoding", value: "aes128gcm")]
        for values in try [[signed(relay), "Bearer x"], ["Bearer x", signed(relay)], [signed(relay), signed(relay)]] {
            let fields = coding + values.map { (name: "Authorization", value: $0) }
            let response = try await relay.push(TestRelay.freshComment(), to: subscription, fields: fields)
            #expect(response.status == 401)
        }
    }

    @Test func `whoever only has the URL spends nothing of the sender's limits`() async throws {
        let relay = try await TestRelay()
        let subscription = try await subscribe(relay, key: signer.publicKey)
        for _ in 0..<21 { #expect(try await push(nil, to: subscription, of: relay).status == 401) }
        let other = try VAPIDSigner()
        let forged = try other.vapid(other.token(audience: Self.origin, expiration: relay.clock.now + 60))
        for _ in 0..<21 { #expect(try await push(forged, to: subscription, of: relay).status == 403) }
        for _ in 0..<20 { #expect(try await push(signed(relay), to: subscription, of: relay).status == 201) }
        #expect(try await push(signed(relay), to: subscription, of: relay).status == 429)
        #expect(try await push(nil, to: subscription, of: relay).status == 401)
    }

    @Test func `a body is not looked at before its sender is known`() async throws {
        let relay = try await TestRelay()
        let subscription = try await subscribe(relay, key: signer.publicKey)
        let coding = [(name: "Content-Encoding", value: "aes128gcm")]
        #expect(await relay.request("POST", subscription.path, fields: coding, body: [1]).status == 401)
        let fields = try coding + [(name: "Authorization", value: signed(relay))]
        #expect(await relay.request("POST", subscription.path, fields: fields, body: [1]).status == 400)
    }

    @Test(arguments: ["vapid t=a.b.c, k=x", "vapid", "=", "Bearer x", "WebPush", ""])
    func `a subscription without a key does not read Authorization`(authorization: String) async throws {
        let relay = try await TestRelay()
        #expect(try await push(authorization, to: relay.subscribe(), of: relay).status == 201)
    }

    @Test func `an endpoint that is none stays 404, signed or not`() async throws {
        let relay = try await TestRelay()
        let coding = [(name: "Content-Encoding", value: "aes128gcm")]
        let fields = try coding + [(name: "Authorization", value: signed(relay))]
        #expect(await relay.request("POST", "/wp/unknown", fields: coding, body: [1]).status == 404)
        #expect(await relay.request("POST", "/wp/unknown", fields: fields, body: [1]).status == 404)
    }

    @Test func `one token serves for many messages, until it expires`() async throws {
        let relay = try await TestRelay()
        let subscription = try await subscribe(relay, key: signer.publicKey)
        let field = try signed(relay, validFor: 60)
        #expect(try await push(field, to: subscription, of: relay).status == 201)
        relay.clock.advance(by: 60)
        #expect(try await push(field, to: subscription, of: relay).status == 201)
        relay.clock.advance(by: 1)
        #expect(try await push(field, to: subscription, of: relay).status == 403)
    }

    @Test func `a token that serves one subscription does not serve that of another instance`() async throws {
        let relay = try await TestRelay()
        let mine = try await subscribe(relay, key: signer.publicKey)
        let other = try await subscribe(relay, key: VAPIDSigner().publicKey)
        let field = try signed(relay)
        #expect(try await push(field, to: mine, of: relay).status == 201)
        #expect(try await push(field, to: other, of: relay).status == 403)
    }

    @Test func `neither token nor key comes into the log`() async throws {
        let relay = try await TestRelay()
        let subscription = try await subscribe(relay, key: signer.publicKey)
        let token = try VAPIDSigner().token(audience: Self.origin, expiration: relay.clock.now + 60)
        _ = try await push(signer.vapid(token), to: subscription, of: relay)
        _ = try await push(signed(relay), to: subscription, of: relay)
        let log = relay.logLines.joined()
        #expect(log.contains("vapid_bad_signature"))
        #expect(!log.contains(token) && !log.contains(signer.publicKey))
    }
}
