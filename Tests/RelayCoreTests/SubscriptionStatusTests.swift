import APNs
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite("What the app is told of a subscription") struct SubscriptionStatusTests {
    private func status(of subscription: TestSubscription, at relay: TestRelay) async -> Response {
        await relay.app("GET", "/subscribe/\(subscription.id)")
    }

    @Test func `a new one has a time, a badge and nothing that is not known yet`() async throws {
        let relay = try await TestRelay()
        let response = await status(of: try await relay.subscribe(account: "alice"), at: relay)
        #expect(response.status == 200)
        #expect(response.value("Content-Type") == "application/json")
        #expect(response.value("Cache-Control") == "no-store")
        let text = #"{"badge":0,"badges_enabled":true,"created_at":\#(relay.clock.now),"vapid_key_pinned":false}"#
        #expect(response.text == text)
    }

    @Test func `it tells what was accepted, what failed and what the app has set`() async throws {
        let apple = try await AppleSimulator()
        let relay = try await TestRelay(apple: apple)
        let key = try VAPIDSigner().publicKey
        let device = freshToken()
        let body = #"{"device_token":"\#(device)","environment":"sandbox","vapid_key":"\#(key)","label":"a phone"}"#
        let pinned = try TestSubscription(await relay.app("POST", "/subscribe", body), deviceToken: device)
        let created = relay.clock.now
        _ = await relay.app("POST", "/subscribe/\(pinned.id)/unread", #"{"count":3}"#)
        _ = await relay.app("POST", "/subscribe/\(pinned.id)/badges", #"{"enabled":false}"#)
        relay.clock.advance(by: 10)
        try await apple.perform("answer \(device) 503")
        _ = await relay.app("POST", "/subscribe/\(pinned.id)/test")
        relay.clock.advance(by: 10)
        try await apple.perform("answer \(device) 200")
        _ = await relay.app("POST", "/subscribe/\(pinned.id)/test")
        let expected = """
            {"badge":3,"badges_enabled":false,"created_at":\(created),"environment":"sandbox",\
            "last_accepted_at":\(created + 20),\
            "last_failure":{"at":\(created + 10),"message":"Apple's service was out of order."},\
            "vapid_key_pinned":true}
            """
        #expect(await status(of: pinned, at: relay).text == expected)
        // The same once it is written down.
        try await relay.store.flushNotes()
        #expect(await status(of: pinned, at: relay).text == expected)
    }

    @Test func `the badge is the counter of this one alone`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        let (alice, bob) = (
            try await relay.subscribe(device, account: "alice"), try await relay.subscribe(device, account: "bob")
        )
        _ = await relay.app("POST", "/subscribe/\(alice.id)/unread", #"{"count":3}"#)
        _ = await relay.app("POST", "/subscribe/\(bob.id)/unread", #"{"count":4}"#)
        #expect(await status(of: alice, at: relay).text.contains(#""badge":3,"#))
    }

    @Test func `one that was replaced, deleted or never given out is 404, after which the app registers anew`()
        async throws
    {
        let relay = try await TestRelay()
        let device = freshToken()
        let replaced = try await relay.subscribe(device)
        let deleted = try await relay.subscribe(device)
        #expect(await status(of: deleted, at: relay).status == 200)
        _ = await relay.app("DELETE", "/subscribe/\(deleted.id)")
        for path in ["/subscribe/\(replaced.id)", "/subscribe/\(deleted.id)", "/subscribe/AAAAAAAAAAAAAAAAAAAAAA"] {
            for method in ["GET", "HEAD"] {
                let response = await relay.app(method, path)
                #expect(response.status == 404)
                #expect(response.errorWord == "not_found")
                #expect(response.value("Cache-Control") == "no-store")
            }
        }
    }

    @Test func `HEAD is answered as GET is, and changes as little`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let got = await status(of: subscription, at: relay)
        let head = await relay.app("HEAD", "/subscribe/\(subscription.id)")
        #expect(head.status == 200)
        #expect(head.text == got.text)
        #expect(try await relay.row(of: subscription) != nil)
    }

    @Test func `nothing is decrypted for it`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let connection = try Connection(path: relay.databasePath)
        try connection.execute(
            "UPDATE subscriptions SET device_token = zeroblob(60), private_key = zeroblob(61), auth = zeroblob(45)",
            for: .check
        )
        await #expect(throws: StoreError.self) { try await relay.row(of: subscription) }
        #expect(await status(of: subscription, at: relay).status == 200)
    }

    @Test func `a database that cannot be used is 503, and never 404`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        try await relay.store.close()
        let response = await status(of: subscription, at: relay)
        #expect(response.status == 503)
        #expect(response.errorWord == "database_unavailable")
        #expect(response.value("Retry-After") == "10")
    }
}

@Suite("A failure in words for a person") struct FailureWordsTests {
    private static let causes: [Outcome.Cause] =
        Rejection.Reason.allCases.map { .rejection(Rejection(status: $0.status, word: $0.rawValue)) } + [
            .rejection(Rejection(status: 503, word: "")), .rejection(Rejection(status: 418, word: "SomethingNew")),
            .transport(.failed(code: 7, text: "Couldn't connect to server")), .transport(.tooManyConnections),
            .transport(.deadline(waiting: true)), .transport(.deadline(waiting: false)), .transport(.notHTTP2),
            .transport(.unsigned), .overloaded, .noThread, .stopping,
        ]

    /// Words of Apple's, of libcurl's and of the configuration are for the operator.
    @Test(arguments: causes)
    func `what is stored is said in words that are none of a program's`(cause: Outcome.Cause) {
        let text = FailureWords.text(for: cause.description)
        #expect(text == cause.words)
        #expect(text.hasSuffix("."))
        #expect(!text.contains(#/[a-z][A-Z]|_|libcurl|\d/#), "\(text)")
    }

    @Test(arguments: ["", "push_failed", "7", "x y", "status x", "HTTP 503 ServiceUnavailable", "410 410 410"])
    func `what no cause is described like is a failure all the same`(note: String) {
        #expect(FailureWords.text(for: note) == "Apple did not take the notification.")
    }

    @Test(arguments: [
        ("410 Unregistered", "Apple does not know this device any more: it has to register anew."),
        ("403 InvalidProviderToken", "Apple refuses the relay's key or settings: tell whoever runs the relay."),
        ("no answer: Couldn't connect to server (libcurl 7)", "The relay could not reach Apple."),
        ("no answer in time", "Apple did not answer in time."),
    ])
    func `what is stored today is understood tomorrow`(note: String, text: String) {
        #expect(FailureWords.text(for: note) == text)
    }
}
