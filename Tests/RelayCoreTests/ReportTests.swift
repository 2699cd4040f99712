import Crypto
import Foundation
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

/// What went wrong between senders and push services elsewhere, and was reported in public.
@Suite("Public reports of what went wrong elsewhere") struct ReportTests {
    private let fields = [(name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: "60")]

    private func post(
        _ body: [UInt8],
        to subscription: TestSubscription,
        of relay: TestRelay,
        fields: [(name: String, value: String)]? = nil
    ) async -> Response {
        await relay.request("POST", subscription.path, fields: fields ?? self.fields, body: body)
    }

    // MARK: The coding

    @Test func `a row without a coding is sent aesgcm, which is read (laravel-notification-channels/webpush#220)`()
        async throws
    {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let message = Array(TestRelay.comment.utf8)
        let legacy = try LegacyBody(message, to: subscription, padding: 2_820 - message.count)
        #expect(legacy.body.count == 2_838)
        #expect(await post(legacy.body, to: subscription, of: relay, fields: legacy.fields).status == 201)
        #expect(try await relay.apple.firstRequest(for: subscription.deviceToken).payload.contains("vinz: nice"))
    }

    @Test func `what cannot be decrypted is not taken in silence (laravel-notification-channels/webpush#163, #221)`()
        async throws
    {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let other = try await relay.subscribe()
        let legacy = try LegacyBody(Array(TestRelay.comment.utf8), to: other)
        let response = await post(legacy.body, to: subscription, of: relay, fields: legacy.fields)
        #expect(response.status == 400)
        #expect(response.errorWord == "auth_tag")
        #expect(relay.logLines(of: "refused").contains { $0.contains("auth_tag") })
    }

    @Test func `2,048 octets of aes128gcm with a record size of 2,048 are no 500 (IceCubesApp#2267)`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        var forged = ForgedBody(to: subscription)
        forged.recordSize = 2_048
        let record = Array(TestRelay.comment.utf8) + [2]
        let body = try forged.sealing(record + [UInt8](repeating: 0, count: 1_946 - record.count))
        #expect(body.count == 2_048)
        #expect(await post(body, to: subscription, of: relay).status == 201)
    }

    @Test func `aes128gcm needs neither Encryption nor Crypto-Key (wintermeyer/vutuv#1698, #1771)`() async throws {
        let relay = try await TestRelay()
        let response = try await relay.push(to: relay.subscribe(), fields: [("Content-Encoding", "aes128gcm")])
        #expect(response.status == 201)
    }

    @Test func `both codings are read by one subscription (mastodon/mastodon#18457)`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let legacy = try LegacyBody(Array(TestRelay.like.utf8), to: subscription)
        #expect(await post(legacy.body, to: subscription, of: relay, fields: legacy.fields).status == 201)
        #expect(try await relay.accepted(to: subscription).badge == 2)
    }

    @Test(arguments: ["Encryption", "Crypto-Key"])
    func `aesgcm whose field got lost on the way is a clean 400 (vjt/grappa-irc#1290)`(lost: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let legacy = try LegacyBody(Array(TestRelay.like.utf8), to: subscription)
        let rest = legacy.fields.filter { $0.name != lost }
        let response = await post(legacy.body, to: subscription, of: relay, fields: rest)
        #expect(response.status == 400)
        #expect(response.errorWord == "malformed_\(lost.lowercased().replacing("-", with: "_"))")
    }

    @Test func `the fields of a real aesgcm request of 3,070 octets are read (mozilla-services/autopush#752)`()
        async throws
    {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let message = Array(TestRelay.comment.utf8)
        let legacy = try LegacyBody(message, to: subscription, padding: 3_052 - message.count)
        let signer = Base64URL.encode(try P256PrivateKey().publicPoint)
        let fields = [
            (name: "User-Agent", value: "GuzzleHttp/6.2.1 curl/7.47.0 PHP/7.0.8"),
            (name: "Content-Type", value: "application/octet-stream"), (name: "Content-Length", value: "3070"),
            (name: "Content-Encoding", value: "aesgcm"), (name: "Encryption", value: "salt=\(legacy.salt)"),
            (name: "Crypto-Key", value: "dh=\(legacy.key);p256ecdsa=\(signer)"), (name: "TTL", value: "2419200"),
            (name: "Authorization", value: "WebPush eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.e30.AA"),
        ]
        #expect(legacy.body.count == 3_070)
        #expect(await post(legacy.body, to: subscription, of: relay, fields: fields).status == 201)
    }

    // MARK: The size

    @Test(arguments: [0, 1])
    func `a record size that equals the record is not too small (tink-crypto/tink-java-apps#5, mastodon/webpush#3)`(
        zeros: Int
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let record = Array(TestRelay.comment.utf8) + [2] + [UInt8](repeating: 0, count: zeros)
        var forged = ForgedBody(to: subscription)
        forged.recordSize = UInt32(record.count + 16)
        #expect(await post(try forged.sealing(record), to: subscription, of: relay).status == 201)
    }

    @Test(arguments: [2_922, 3_070, 3_154, 4_096, 4_181])
    func `a padded body is not too large (web-push-php#62, #108, #305, #369; webpush-go#23, #35)`(
        octets: Int
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        var sender = subscription.sender
        let message = Array(TestRelay.comment.utf8)
        sender.recordSize = 4_096
        sender.padding = octets - 103 - message.count
        let body = try sender.encrypt(message)
        #expect(body.count == octets)
        #expect(await post(body, to: subscription, of: relay).status == 201)
    }

    @Test(arguments: [4_096, 4_181])
    func `padding is not passed on to Apple, who has no room for it (superseriousbusiness/gotosocial#3762)`(
        octets: Int
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        var sender = subscription.sender
        let message = Array(TestRelay.comment.utf8)
        sender.padding = octets - 103 - message.count
        #expect(await post(try sender.encrypt(message), to: subscription, of: relay).status == 201)
        let request = try await relay.apple.firstRequest(for: subscription.deviceToken)
        #expect(request.payloadOctets < 400)
        #expect(request.payload.contains(#""body":"vinz: nice""#))
    }

    @Test
    func `4,096 octets full of text are neither 413 nor cut before they are read (UnifiedPush/specifications#28)`()
        async throws
    {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let body = try subscription.sender.encrypt(paddedJSON(octets: 3_993))
        #expect(body.count == 4_096)
        #expect(await post(body, to: subscription, of: relay).status == 201)
        let request = try await relay.apple.firstRequest(for: subscription.deviceToken)
        #expect((3_900...4_096).contains(request.payloadOctets))
    }

    @Test(arguments: ["text/plain; charset=utf-8", "application/x-www-form-urlencoded", "application/json", ""])
    func `a binary body is not taken for anything else (binwiederhier/ntfy#1312)`(type: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        var sender = subscription.sender
        sender.salt = Array("\0\r\n\r\n%00&a=b---".utf8) + [0xff]
        let body = try sender.encrypt(Array(TestRelay.comment.utf8))
        let response = await post(body, to: subscription, of: relay, fields: fields + [("Content-Type", type)])
        #expect(response.status == 201)
    }
}
