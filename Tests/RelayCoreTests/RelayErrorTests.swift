import Crypto
import RelayTesting
import Testing

@testable import HTTPServer
@testable import RelayCore
@testable import Store
@testable import WebPush

@Suite("404 is for a row that is gone, and the relay's own faults are 5xx") struct RelayErrorTests {
    static let errors: [(error: RelayError, status: Int, retryAfter: String?)] = [
        (.unknownRoute, 404, nil), (.subscriptionGone, 404, nil), (.deviceGone, 404, nil),
        (.methodNotAllowed(allow: "POST"), 405, nil),
        (.unauthorized, 401, nil), (.unknownCoding, 415, nil), (.otherSender(.missing), 401, nil),
        (.otherSender(.badSignature), 403, nil), (.malformedField(.timeToLive), 400, nil),
        (.signingKeyReused, 400, nil), (.malformedMessage(""), 400, nil),
        (.malformedBody(""), 400, nil), (.undecryptable(.authenticationTag), 400, nil),
        (.undecryptable(.cryptographyFailed), 503, "10"), (.rateLimited(RetryAfter(seconds: 7)), 429, "7"),
        (.tooManyRegistrations(RetryAfter(seconds: 30)), 429, "30"),
        (.tooManySubscriptions(.tooManySubscriptions(most: 1)), 503, "3600"), (.database(.closed), 503, "10"),
        (.backupsOverdue, 503, "10"),
        (.overloaded, 503, "10"), (.appleFailed, 502, nil), (.appleRefusesConfiguration, 502, nil),
        (.deletionRefused, 502, nil),
        (.internalFailure, 500, nil),
    ]

    @Test(arguments: errors)
    func `each reason has its status, and says when to come again where that is known`(
        error: RelayError,
        status: Int,
        retryAfter: String?
    ) {
        #expect(error.response.status == status)
        #expect(error.response.value("Retry-After") == retryAfter)
        #expect(error.response.value("Cache-Control") == "no-store")
    }

    @Test(arguments: [[], [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xff, count: 32)])
    func `a row whose key cannot be read is answered 503 and kept`(privateKey: [UInt8]) async throws {
        let relay = try await TestRelay()
        let id = SubscriptionID(hashing: Array("row".utf8))
        let registration = Registration(
            id: id,
            deviceToken: freshToken(),
            account: "",
            label: "",
            privateKey: privateKey,
            authSecret: [UInt8](repeating: 1, count: 16),
            createdAt: 0
        )
        _ = try await relay.store.register(registration)
        let subscription = try await relay.subscribe()
        let body = try subscription.sender.encrypt(Array(TestRelay.like.utf8))
        let response = await relay.request("POST", "/wp/row", body: body)
        #expect(response.status == 503)
        #expect(response.errorWord == "cryptography_failed")
        #expect(try await relay.store.subscription(id) != nil)
    }

    @Test func `a row whose stored point is another key's is answered 503 and kept`() async throws {
        let relay = try await TestRelay()
        let id = SubscriptionID(hashing: Array("row".utf8))
        let keys = try ReceiverKeys()
        let registration = Registration(
            id: id,
            deviceToken: freshToken(),
            account: "",
            label: "",
            privateKey: keys.privateKey.scalar,
            publicKey: try P256PrivateKey().publicPoint,
            authSecret: keys.authSecret,
            createdAt: 0
        )
        _ = try await relay.store.register(registration)
        let body = try EncryptedMessage.seal(Array(TestRelay.like.utf8), for: keys)
        let response = await relay.request("POST", "/wp/row", body: body)
        #expect(response.status == 503)
        #expect(response.errorWord == "cryptography_failed")
        #expect(try await relay.store.subscription(id) != nil)
    }

    @Test func `a registration is stored with its label and the time it was made`() async throws {
        let relay = try await TestRelay()
        let body = #"{"device_token":"\#(freshToken())","label":"vinz-iphone"}"#
        let answer = try TestSubscription(await relay.app("POST", "/subscribe", body), deviceToken: "")
        let stored = try await relay.store.subscription(SubscriptionID(hashing: Array(answer.id.utf8)))
        #expect(stored?.label == "vinz-iphone")
        #expect(stored?.createdAt == relay.clock.now)
    }
}

@Suite("Input that takes its time") struct CostlyInputTests {
    /// Combining marks in the order that is the most work to put right.
    private static let marks = ["\u{345}", "\u{301}", "\u{316}", "\u{334}"]
        .map { String(repeating: $0, count: 4_000) }
        .joined()

    @Test(arguments: [marks, String(repeating: #"\u0345\u0301"#, count: 2_000), String(repeating: "a", count: 257)])
    func `a member's name of more than 256 octets is refused before anything is made of it`(name: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        for json in [#"{"title":"a","\#(name)":1}"#, #"{"title":"a","x":[{"\#(name)" : 1}]}"#] {
            let response = try await relay.push(json, to: subscription)
            #expect(response.status == 400)
            #expect(response.text.contains("longer than 256 octets"))
        }
    }

    @Test(arguments: [
        #"{"title":"a","\#(String(repeating: "b", count: 256))":1}"#, #"{"title":"\#(marks)"}"#,
        #"{"title":"a\\\":","body":"\#(String(repeating: "c", count: 300))"}"#,
        #"{"title":"a","x":["\#(String(repeating: "d", count: 300))",":"]}"#,
    ])
    func `a long text is no name`(json: String) async throws {
        let relay = try await TestRelay()
        #expect(try await relay.push(json, to: relay.subscribe()).status == 201)
    }

    @Test func `a long coding, scheme, urgency or parameter is not looked at`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        #expect(try await relay.push(to: subscription, fields: [("Content-Encoding", Self.marks)]).status == 415)
        #expect(try await relay.push(to: subscription, fields: [("Urgency", Self.marks)]).status == 400)
        let authorization = [(name: "Authorization", value: "\(Self.marks) x")]
        #expect(await relay.request("DELETE", "/subscribe/x", fields: authorization).status == 401)
        #expect(Parameters([Array("\(Self.marks)=1, t=2".utf8)])?.count(of: "t") == 1)
    }
}
