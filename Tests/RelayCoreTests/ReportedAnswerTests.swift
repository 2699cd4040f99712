import APNs
import Crypto
import Foundation
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

/// Reports about answers that senders took for something else, about signatures and about what was registered.
@Suite("Public reports of answers that went wrong elsewhere") struct ReportedAnswerTests {
    // MARK: The answer

    @Test func `the answer is 201, not 200, 202 or 204 (Lib.Net.Http.WebPush#36, web-push-csharp#71, pywebpush)`()
        async throws
    {
        let relay = try await TestRelay()
        #expect(try await relay.push(to: relay.subscribe()).status == 201)
    }

    @Test func `a certificate of Apple's that is not trusted is no 4xx (glitch-soc/mastodon#2981)`() async throws {
        let other = Vectors.repository.appending(path: "Tests/Vectors/keys/certificate.pem").path
        let relay = try await TestRelay { $0.certificateAuthorities = other }
        let subscription = try await relay.subscribe()
        #expect(try await relay.push(to: subscription).status == 502)
        #expect(try await relay.row(of: subscription)?.badgeCount == 0)
    }

    @Test func `60 requests in a moment are not too many of one instance, 20 to each row (mastodon/mastodon#26078)`()
        async throws
    {
        let relay = try await TestRelay()
        for _ in 0..<3 {
            let subscription = try await relay.subscribe()
            for _ in 0..<20 { #expect(try await relay.push(to: subscription).status == 201) }
        }
    }

    @Test func `load is no 4xx, after which a sender would delete the row (mastodon/mastodon#11826)`() async throws {
        let full = try await TestRelay { $0.longestQueue = 0 }
        #expect(try await full.push(to: full.subscribe()).status == 503)
        let relay = try await TestRelay { $0.deadline = .milliseconds(300) }
        #expect(try await relay.push(to: relay.subscribe(freshToken("0ff0"))).status == 502)
        let slowed = try await relay.subscribe()
        try await relay.apple.perform("answer \(slowed.deviceToken) 429")
        #expect(try await relay.push(to: slowed).status == 502)
    }

    @Test func `an endpoint that is unknown is 404, not 507 for ever (binwiederhier/ntfy#664)`() async throws {
        let relay = try await TestRelay()
        let fields = [(name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: "60")]
        #expect(await relay.request("POST", "/wp/unknown", fields: fields, body: [1]).status == 404)
    }

    @Test func `a dead device is 404, at once and from then on, the one word for gone (zaru/webpush#71, misskey#2540)`()
        async throws
    {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe(freshToken("dead"))
        #expect(try await relay.push(to: subscription).status == 404)
        #expect(try await relay.push(to: subscription).status == 404)
    }

    @Test func `a token that went stale is not kept in silence (mastodon/mastodon-android#892)`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        #expect(try await relay.push(to: subscription).status == 201)
        try await relay.apple.perform("answer \(subscription.deviceToken) 400 BadDeviceToken")
        #expect(try await relay.push(to: subscription).status == 404)
        #expect(relay.logLines(of: "device_gone").count == 1)
        #expect(try await relay.row(of: subscription) == nil)
    }

    @Test func `an account that logged out gets no more pushes (mastodon/mastodon-ios#1033)`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        #expect(await relay.app("DELETE", "/subscribe/\(subscription.id)").status == 204)
        #expect(try await relay.push(to: subscription).status == 404)
        #expect(try await relay.apple.requests(for: subscription.deviceToken).isEmpty)
    }

    @Test(arguments: [
        "400 PayloadTooLarge", "400 BadTopic", "403 InvalidProviderToken", "413 PayloadTooLarge", "429 TooManyRequests",
        "500 InternalServerError", "503 Shutdown", "418 SomethingNew",
    ])
    func `only a device that is gone rejects its row (matrix-org/sygnal#212)`(answer: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        try await relay.apple.perform("answer \(subscription.deviceToken) \(answer)")
        #expect(try await relay.push(to: subscription).status == 502)
        #expect(try await relay.row(of: subscription) != nil)
    }

    @Test func `a message is not delivered after its TTL (mastodon/mastodon#32842)`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let fields = [(name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: "172800")]
        #expect(try await relay.push(to: subscription, fields: fields).status == 201)
        let request = try await relay.apple.firstRequest(for: subscription.deviceToken)
        #expect(request.headers["apns-expiration"] == "\(relay.clock.now + 172_800)")
    }

    @Test func `the keys that are handed out can be encrypted for (mastodon/mastodon#30541, #35987)`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        #expect(subscription.p256dh.wholeMatch(of: /[A-Za-z0-9_-]{87}/) != nil)
        #expect(subscription.auth.wholeMatch(of: /[A-Za-z0-9_-]{22}/) != nil)
        let point = try #require(Base64URL.decode(subscription.p256dh.utf8))
        #expect(point.count == 65)
        #expect(try P256PrivateKey().sharedSecret(with: point).count == 32)
    }

    // MARK: The signature

    /// Registers for one sender, and gives the status for what it signs.
    private func status(claims: String, publicURL: String = "https://push.example.org") async throws -> Int {
        let relay = try await TestRelay(publicURL: publicURL)
        let key = try P256PrivateKey()
        let token = freshToken()
        let point = Base64URL.encode(key.publicPoint)
        let answer = await relay.app("POST", "/subscribe", #"{"device_token":"\#(token)","vapid_key":"\#(point)"}"#)
        let subscription = try TestSubscription(answer, deviceToken: token)
        let parts = [#"{"typ":"JWT","alg":"ES256"}"#, #"{"exp":\#(relay.clock.now + 43_200),\#(claims)}"#]
        let signed = parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        let signature = Base64URL.encode(try key.signature(of: Array(signed.utf8)))
        let fields = [
            (name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: "60"),
            (name: "Authorization", value: "vapid t=\(signed).\(signature), k=\(point)"),
        ]
        return try await relay.push(to: subscription, fields: fields).status
    }

    @Test(arguments: [
        ("https://push.example.org", "https://push.example.org"),
        ("https://push.example.org", "https://push.example.org:443"),
        ("https://push.example.org:8443", "https://push.example.org:8443"),
        ("https://push.example.org:8443", "https://push.example.org"),
    ])
    func `an audience with or without the port is the relay (webpush-java#153, autopush#1435, autopush-rs#814)`(
        publicURL: String,
        audience: String
    ) async throws {
        let claims = #""aud":"\#(audience)","sub":"mailto:admin@pixels.example""#
        #expect(try await status(claims: claims, publicURL: publicURL) == 201)
    }

    @Test(arguments: [
        "", #","sub":"""#, #","sub":"mailto:""#, #","sub":"pixels.example""#, #","sub":"https://localhost""#,
        #","sub":null"#, #","sub":"https://pixels.example""#,
    ])
    func `nobody is refused for a subject that is odd or missing (web-push#988, #947, autopush-rs#772, pywebpush#118)`(
        subject: String
    ) async throws {
        #expect(try await status(claims: #""aud":"https://push.example.org"\#(subject)"#) == 201)
    }
}
