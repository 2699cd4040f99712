import APNs
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite("POST /wp/{id}: the answers") struct OutcomeTests {
    /// Badge of the next push that Apple accepts: one more than was counted so far.
    private func nextBadge(_ relay: TestRelay, _ subscription: TestSubscription) async throws -> Int? {
        try await relay.apple.perform("answer \(subscription.deviceToken) 200")
        return try await relay.accepted(to: subscription).badge
    }

    @Test func `what Apple accepts is answered 201, the row is kept and the badge is one more`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        #expect(try await relay.push(to: subscription).status == 201)
        #expect(try await nextBadge(relay, subscription) == 2)
    }

    @Test(arguments: [
        "/wp/0123456789abcdef0123456789abcdef", "/wp/AAAAAAAAAAAAAAAAAAAAAA", "/wp/x", "/wp/%27%20OR%201=1--", "/wp/*",
    ])
    func `an unknown id is answered 404, and a malformed one in the same words`(path: String) async throws {
        let relay = try await TestRelay()
        let response = await relay.request("POST", path, body: Array("hello".utf8))
        #expect(response.status == 404)
        #expect(response.errorWord == "not_found")
    }

    @Test(arguments: [
        ("bad0", "BadDeviceToken"), ("dead", "Unregistered"), ("c0de1a", "ExpiredToken"),
        ("c0de07", "DeviceTokenNotForTopic"),
    ])
    func `a token that Apple calls dead is answered 404, and the row is deleted`(
        prefix: String,
        reason: String
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe(freshToken(prefix))
        #expect(try await relay.push(to: subscription).status == 404)
        #expect(relay.logLines.contains { $0.contains("event=device_gone ") && $0.contains(reason) })
        #expect(try await relay.store.subscription(SubscriptionID(hashing: Array(subscription.id.utf8))) == nil)
        try await relay.apple.perform("answer \(subscription.deviceToken) 200")
        #expect(try await relay.push(to: subscription).status == 404)
        #expect(try await relay.apple.requests(for: subscription.deviceToken).count == 1)
    }

    @Test func `a dead token ends the subscription that met it, not the device's others`() async throws {
        let relay = try await TestRelay()
        let device = freshToken("dead")
        let alice = try await relay.subscribe(device, account: "alice")
        let bob = try await relay.subscribe(device, account: "bob")
        #expect(try await relay.push(to: alice).status == 404)
        try await relay.apple.perform("answer \(device) 200")
        #expect(try await relay.push(to: bob).status == 201)
    }

    @Test(arguments: ["0bad0", "0bad1", "0bad2", "0bad5", "0bad9", "0bada", "0badb", "0badc", "0badf", "c105"])
    func `anything else from Apple is answered 502, the row is kept and the badge taken back`(
        prefix: String
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe(freshToken(prefix))
        let response = try await relay.push(to: subscription)
        #expect(response.status == 502)
        #expect(response.errorWord == "apple_failed")
        #expect(try await nextBadge(relay, subscription) == 1)
    }

    @Test func `no answer in time is answered 502, the row is kept and the badge taken back`() async throws {
        let relay = try await TestRelay { $0.deadline = .milliseconds(300) }
        let subscription = try await relay.subscribe(freshToken("0ff0"))
        #expect(try await relay.push(to: subscription).status == 502)
        #expect(try await badgeCount(relay, subscription) == 0)
    }

    @Test func `a network that fails is answered 502, the row is kept and the badge taken back`() async throws {
        let relay = try await TestRelay(appleOrigin: "https://127.0.0.1:1")
        let subscription = try await relay.subscribe()
        #expect(try await relay.push(to: subscription).status == 502)
        #expect(try await badgeCount(relay, subscription) == 0)
    }

    @Test(
        arguments: [
            [], Array("hello".utf8), [UInt8](repeating: 0, count: 4_096), [UInt8](repeating: 0xff, count: 65_536),
        ] as [[UInt8]]
    )
    func `a body that is no message is answered 400, the row is kept and the badge untouched`(
        body: [UInt8]
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let fields = [(name: "Content-Encoding", value: "aes128gcm")]
        let response = await relay.request("POST", subscription.path, fields: fields, body: body)
        #expect(response.status == 400)
        #expect(try await nextBadge(relay, subscription) == 1)
    }

    @Test func `a message for another subscription is answered 400`() async throws {
        let relay = try await TestRelay()
        let one = try await relay.subscribe()
        let other = try await relay.subscribe()
        let body = try other.sender.encrypt(Array(TestRelay.like.utf8))
        let response = await relay.request("POST", one.path, body: body)
        #expect(response.status == 400)
        #expect(response.errorWord == "auth_tag")
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "1", #""x""#, "{", #"{"title":5}"#, #"{"title":["x"]}"#, #"{"title":"a"}x"#,
        #"{"title":""}"#, #"{"title":null,"body":null}"#, #"{"Title":"x"}"#, #"{"title":"\ud800"}"#,
        "{\"title\":\"a\tb\"}", #"{"title":"t","status_id":true}"#, #"{"title":"t","status_id":{}}"#,
        "\u{feff}{\"title\":\"t\"}",
    ])
    func `a message that is not the JSON of a notification is answered 400 and never reaches Apple`(
        json: String
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let response = try await relay.push(json, to: subscription)
        #expect(response.status == 400)
        #expect(response.errorWord == "malformed_message")
        #expect(try await relay.apple.requests(for: subscription.deviceToken).isEmpty)
        #expect(try await nextBadge(relay, subscription) == 1)
    }

    @Test(
        arguments: [
            [0xff, 0xfe], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0x7b, 0x00, 0x7d, 0x00], [0xff, 0xfe, 0x7b, 0x00],
        ] as [[UInt8]]
    )
    func `a message that is not UTF-8 is answered 400`(plaintext: [UInt8]) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let body = try subscription.sender.encrypt(plaintext)
        #expect(await relay.request("POST", subscription.path, body: body).status == 400)
    }

    @Test func `JSON of a thousand levels is answered 400 and of a hundred is read`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        func nested(_ levels: Int) -> String {
            #"{"title":"t","x":"# + String(repeating: "[", count: levels) + String(repeating: "]", count: levels) + "}"
        }
        #expect(try await relay.push(nested(1_000), to: subscription).status == 400)
        #expect(try await relay.push(nested(100), to: subscription).status == 201)
        #expect(try await relay.push(String(repeating: "[", count: 60_000), to: subscription).status == 400)
    }

    @Test(arguments: [#"{"title":"first","title":"second"}"#, #"{"title":"first",}"#])
    func `of a key that comes twice the first counts, and a comma at the end is overlooked`(json: String) async throws {
        let relay = try await TestRelay()
        let request = try await relay.accepted(json, to: relay.subscribe())
        #expect(request.payload.contains(#""title":"first""#))
    }

    @Test(arguments: ["gzip", "identity", "aes128gcm, aes128gcm", "gzip, aes128gcm", "aes256gcm", ""])
    func `an unknown content coding is answered 415, the row is kept and the badge untouched`(
        coding: String
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let response = try await relay.push(to: subscription, fields: [("Content-Encoding", coding)])
        #expect(response.status == 415)
        #expect(response.value("Accept-Encoding") == "aes128gcm, aesgcm")
        #expect(try await nextBadge(relay, subscription) == 1)
    }

    @Test func `two Content-Encoding fields are answered 415, and one in capitals is read`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let twice = [(name: "Content-Encoding", value: "aes128gcm"), (name: "Content-Encoding", value: "aes128gcm")]
        #expect(try await relay.push(to: subscription, fields: twice).status == 415)
        #expect(try await relay.push(to: subscription, fields: [("Content-Encoding", "AES128GCM")]).status == 201)
    }

    @Test(arguments: ["", "-1", "+5", "1.5", "0x10", "abc"])
    func `a TTL that is not digits is answered 400`(ttl: String) async throws {
        let relay = try await TestRelay()
        let response = try await relay.push(to: relay.subscribe(), fields: [("TTL", ttl)])
        #expect(response.status == 400)
        #expect(response.errorWord == "malformed_ttl")
    }

    @Test func `the burst is 20, then 429 with Retry-After, and one more every 2 seconds`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        for _ in 0..<20 { #expect(try await relay.push(to: subscription).status == 201) }
        let refused = try await relay.push(to: subscription)
        #expect(refused.status == 429)
        #expect(refused.value("Retry-After") == "2")
        relay.clock.advance(by: 1)
        let stillRefused = try await relay.push(to: subscription)
        #expect(stillRefused.status == 429)
        #expect(stillRefused.value("Retry-After") == "1")
        relay.clock.advance(by: 1)
        #expect(try await relay.accepted(to: subscription).badge == 21)
        #expect(try await relay.push(to: subscription).status == 429)
    }

    @Test func `one subscription's limit is not another's`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        let alice = try await relay.subscribe(device, account: "alice")
        let bob = try await relay.subscribe(device, account: "bob")
        for _ in 0..<21 { _ = try await relay.push(to: alice) }
        #expect(try await relay.push(to: alice).status == 429)
        #expect(try await relay.push(to: bob).status == 201)
    }

    @Test func `a database that cannot be read is answered 503 with Retry-After, never 404`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        try await relay.store.close()
        for path in [subscription.path, "/wp/unknown"] {
            let response = await relay.request("POST", path, body: [])
            #expect(response.status == 503)
            #expect(response.value("Retry-After") == "10")
            #expect(response.errorWord == "database_unavailable")
        }
    }

    @Test func `a relay that waits for Apple too often is answered 503 with Retry-After`() async throws {
        let relay = try await TestRelay { $0.longestQueue = 0 }
        let subscription = try await relay.subscribe()
        let response = try await relay.push(to: subscription)
        #expect(response.status == 503)
        #expect(response.value("Retry-After") == "10")
        #expect(response.errorWord == "overloaded")
        #expect(try await badgeCount(relay, subscription) == 0)
    }

    @Test func `a row that cannot be deleted is answered 503, since it is not gone`() async throws {
        let relay = try await TestRelay()
        let token = freshToken("401d410")
        let subscription = try await relay.subscribe(token)
        async let response = relay.push(to: subscription)
        _ = try await relay.apple.firstRequest(for: token)
        let lock = try WriteLock(relay.databasePath)
        try await relay.apple.perform("release \(token)")
        #expect(try await response.status == 503)
        try lock.release()
        #expect(try await relay.store.subscription(SubscriptionID(hashing: Array(subscription.id.utf8))) != nil)
    }

    private func badgeCount(_ relay: TestRelay, _ subscription: TestSubscription) async throws -> Int? {
        try await relay.store.subscription(SubscriptionID(hashing: Array(subscription.id.utf8)))?.badgeCount
    }
}
