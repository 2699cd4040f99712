import Crypto
import Foundation
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite("The app's routes") struct RegistrationTests {
    @Test func `a subscription is answered 201 with its id, its endpoint and its keys`() async throws {
        let relay = try await TestRelay()
        let response = await relay.app(
            "POST",
            "/subscribe",
            #"{"device_token":"\#(freshToken())","label":"vinz-iphone","account":"vinz@pixels.example"}"#
        )
        #expect(response.status == 201)
        #expect(response.value("Content-Type") == "application/json")
        let object = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: String]
        #expect(Set(try #require(object).keys) == ["subscription_id", "endpoint", "p256dh", "auth"])
        let subscription = try TestSubscription(response, deviceToken: "")
        #expect(subscription.endpoint == "https://push.example.org/wp/\(subscription.id)")
        #expect(subscription.p256dh.utf8.count == 87)
        #expect(subscription.sender.p256dh.count == 65)
        #expect(subscription.sender.p256dh.first == 0x04)
        #expect(subscription.auth.utf8.count == 22)
        #expect(subscription.sender.auth.count == 16)
    }

    @Test func `an id is 128 random bits, and the file of the database has only its SHA-256`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        #expect(Base64URL.decode(subscription.id.utf8)?.count == 16)
        let digest = SHA256.digest(Array(subscription.id.utf8))
        #expect(
            try await relay.store.subscription(SubscriptionID(hashing: Array(subscription.id.utf8)))?.id.digest
                == digest
        )
        try await relay.store.close()
        let file = try Data(contentsOf: URL(filePath: relay.databasePath))
        #expect(file.range(of: Data(digest)) != nil)
        #expect(file.range(of: Data(subscription.id.utf8)) == nil)
        #expect(file.range(of: Data(try #require(Base64URL.decode(subscription.id.utf8)))) == nil)
    }

    @Test func `registering again replaces id and keys, and the old endpoint answers 404`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        let old = try await relay.subscribe(device, account: "alice")
        let new = try await relay.subscribe(device.uppercased(), account: "alice")
        #expect(old.id != new.id)
        #expect(old.p256dh != new.p256dh)
        #expect(old.auth != new.auth)
        #expect(try await relay.push(to: old).status == 404)
        let body = try new.sender.encrypt(Array(TestRelay.like.utf8))
        #expect(await relay.request("POST", new.path, body: body).status == 201)
        #expect(try await relay.apple.requests(for: device).count == 1)
    }

    @Test func `two accounts of one device never evict each other`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        let alice = try await relay.subscribe(device, account: "alice")
        let bob = try await relay.subscribe(device, account: "bob")
        #expect(try await relay.push(to: alice).status == 201)
        #expect(try await relay.push(to: bob).status == 201)
    }

    @Test func `a client that names no account has one slot for each device`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        let first = try await relay.subscribe(device)
        let response = await relay.app("POST", "/subscribe", #"{"device_token":"\#(device)","account":null}"#)
        let second = try TestSubscription(response, deviceToken: device)
        let third = try await relay.subscribe(device, account: "")
        #expect(try await relay.push(to: first).status == 404)
        #expect(try await relay.push(to: second).status == 404)
        #expect(try await relay.push(to: third).status == 201)
    }

    @Test func `a device has at most 10 rows, and past that the oldest goes`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        var subscriptions: [TestSubscription] = []
        for number in 0..<11 { subscriptions.append(try await relay.subscribe(device, account: "account \(number)")) }
        #expect(try await relay.push(to: subscriptions[0]).status == 404)
        for subscription in subscriptions.dropFirst() {
            #expect(try await relay.push(to: subscription).status == 201)
        }
    }

    @Test func `a deleted subscription answers 404, and deleting it again 204`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        #expect(await relay.app("DELETE", "/subscribe/\(subscription.id)").status == 204)
        #expect(try await relay.push(to: subscription).status == 404)
        #expect(await relay.app("DELETE", "/subscribe/\(subscription.id)").status == 204)
    }

    @Test(arguments: [
        ("DELETE", "", ""), ("POST", "/read", ""), ("POST", "/unread", #"{"count":1}"#),
        ("POST", "/badges", #"{"enabled":true}"#),
    ])
    func `an unknown id is answered 204`(method: String, route: String, body: String) async throws {
        let relay = try await TestRelay()
        let response = await relay.app(method, "/subscribe/AAAAAAAAAAAAAAAAAAAAAA\(route)", body)
        #expect(response.status == 204)
        #expect(response.body == [])
    }

    @Test(arguments: [
        nil, "", "Bearer", "Bearer ", "Bearer wrong", "Bearer a-subscribe-token-of-the-ap",
        "Bearer a-subscribe-token-of-the-app2", "Bearer a-subscribe-token-of-the-app ",
        "Bearer  a-subscribe-token-of-the-app", "Basic a-subscribe-token-of-the-app", "a-subscribe-token-of-the-app",
        "Bearer A-SUBSCRIBE-TOKEN-OF-THE-APP",
    ])
    func `without the token each route answers 401, the same for a known and an unknown id`(
        authorization: String?
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let fields = authorization.map { [(name: "Authorization", value: $0)] } ?? []
        for id in [subscription.id, "unknown"] {
            for (method, path) in [
                ("POST", "/subscribe"), ("DELETE", "/subscribe/\(id)"), ("POST", "/subscribe/\(id)/read"),
                ("POST", "/subscribe/\(id)/unread"), ("POST", "/subscribe/\(id)/badges"),
            ] {
                let response = await relay.request(method, path, fields: fields, body: Array("{}".utf8))
                #expect(response.status == 401)
                #expect(response.value("WWW-Authenticate") == "Bearer")
                #expect(response.value("Cache-Control") == "no-store")
                #expect(response.errorWord == "unauthorized")
            }
        }
        #expect(try await relay.push(to: subscription).status == 201)
    }

    @Test(arguments: ["Bearer", "bearer", "BEARER"])
    func `the scheme is read without regard to case`(scheme: String) async throws {
        let relay = try await TestRelay()
        let fields = [(name: "Authorization", value: "\(scheme) \(TestRelay.subscribeToken)")]
        #expect(await relay.request("DELETE", "/subscribe/x", fields: fields).status == 204)
    }

    @Test(arguments: [
        "", "[]", "{", "null", #"{"device_token":null}"#, #"{"device_token":5}"#, #"{"device_token":""}"#,
        #"{"device_token":"abcdef012345678"}"#, #"{"device_token":"abcdef012345678g"}"#,
        #"{"device_token":"../../3/device/abcdef"}"#, #"{"device_token":"ＡＢcdef0123456789"}"#,
        #"{"device_token":"abcdef0123456789\r\n"}"#, #"{"label":"no token"}"#,
        #"{"device_token":"abcdef0123456789","account":5}"#, #"{"device_token":"abcdef0123456789","label":[]}"#,
        #"{"device_token":"abcdef0123456789","account":"\#(String(repeating: "a", count: 257))"}"#,
        #"{"device_token":"abcdef0123456789","label":"\#(String(repeating: "é", count: 129))"}"#,
        "{\"device_token\":\"\(String(repeating: "a", count: 402))\"}",
    ])
    func `a registration that cannot be is answered 400 with a word and what to do`(body: String) async throws {
        let relay = try await TestRelay()
        let response = await relay.app("POST", "/subscribe", body)
        #expect(response.status == 400)
        #expect(response.errorWord == "malformed_body")
        #expect(response.value("Cache-Control") == "no-store")
        #expect(response.text.contains(#""message":""#))
    }

    @Test(arguments: [
        (#"{"device_token":"abab"}"#, "16 to 400 hexadecimal digits"), ("{}", #"\"device_token\" is missing"#),
        (#"{"device_token":5}"#, #"\"device_token\" has the wrong type"#), ("[]", "not a JSON object"),
        (#"{"device_token":"abcdef0123456789","account":"\#(String(repeating: "a", count: 257))"}"#, "256 octets"),
        ("{", "not"), ("\u{feff}{}", "UTF-8"),
    ])
    func `the message names the member at fault and what it should be`(body: String, text: String) async throws {
        let relay = try await TestRelay()
        #expect(await relay.app("POST", "/subscribe", body).text.contains(text))
    }

    @Test(arguments: [16, 64, 200, 400])
    func `a device token has 16 to 400 digits`(digits: Int) async throws {
        let relay = try await TestRelay()
        let token = String(freshToken().prefix(16)).padding(toLength: digits, withPad: "0", startingAt: 0)
        #expect(try await relay.push(to: relay.subscribe(token)).status == 201)
    }

    @Test func `members that nobody knows are ignored, and an account of 256 octets is taken`() async throws {
        let relay = try await TestRelay()
        let account = String(repeating: "a", count: 256)
        let body = #"{"device_token":"\#(freshToken())","account":"\#(account)","label":null,"model":"iPhone"}"#
        #expect(await relay.app("POST", "/subscribe", body).status == 201)
    }

    @Test(arguments: [
        ("unread", #"{"count":"7"}"#), ("unread", #"{"count":true}"#), ("unread", #"{"count":null}"#),
        ("unread", #"{"count":[7]}"#), ("unread", "{}"), ("unread", ""), ("unread", #"{"count":1.5}"#),
        ("unread", #"{"count":9223372036854775808}"#), ("unread", #"{"count":1e400}"#), ("unread", #"{"count":NaN}"#),
        ("badges", #"{"enabled":1}"#), ("badges", #"{"enabled":"true"}"#), ("badges", #"{"enabled":null}"#),
        ("badges", "{}"), ("badges", ""),
    ])
    func `a setting that is not what the route asks for is answered 400 and changes nothing`(
        route: String,
        body: String
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let response = await relay.app("POST", "/subscribe/\(subscription.id)/\(route)", body)
        #expect(response.status == 400)
        #expect(response.errorWord == "malformed_body")
        #expect(try await relay.accepted(to: subscription).badge == 1)
    }

    @Test(arguments: [
        ("DELETE", "", ""), ("POST", "/read", ""), ("POST", "/unread", #"{"count":1}"#),
        ("POST", "/badges", #"{"enabled":true}"#),
    ])
    func `a database that cannot be written is answered 503, never 204`(
        method: String,
        route: String,
        body: String
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let lock = try WriteLock(relay.databasePath)
        let response = await relay.app(method, "/subscribe/\(subscription.id)\(route)", body)
        #expect(response.status == 503)
        #expect(response.value("Retry-After") == "10")
        let registration = #"{"device_token":"\#(freshToken())"}"#
        #expect(await relay.app("POST", "/subscribe", registration).status == 503)
        try lock.release()
        #expect(await relay.app(method, "/subscribe/\(subscription.id)\(route)", body).status == 204)
    }

    @Test func `a hundred registrations of one account at once leave one endpoint`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        let subscriptions = try await withThrowingTaskGroup(of: TestSubscription.self) { group in
            for _ in 0..<100 { group.addTask { try await relay.subscribe(device, account: "alice") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        var alive = 0
        for subscription in subscriptions where try await relay.push(to: subscription).status == 201 { alive += 1 }
        #expect(alive == 1)
    }
}
