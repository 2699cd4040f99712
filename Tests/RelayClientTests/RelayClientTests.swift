import Foundation
import Testing

@testable import RelayClient

/// What each call sends, and what it makes of the answer.
struct RelayClientTests {
    private let waits = Waits()

    @Test func `subscribe sends what it is given, and returns what the app has to keep`() async throws {
        let server = try LocalServer(.json(201, Example.subscribeAnswer))
        let subscription = try await waits.relay(at: server.url).subscribe(
            deviceToken: Data([0x00, 0x7f, 0xAB, 0xff]),
            label: "Alice's phone / \"two\"",
            account: Example.account,
            environment: .sandbox,
            vapidKey: "BKey"
        )
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.target == "/subscribe")
        #expect(request.fields["authorization"] == "Bearer the-subscribe-token")
        #expect(request.fields["content-type"] == "application/json")
        #expect(
            request.body == """
                {"account":"alice@pixels.example","device_token":"007fabff","environment":"sandbox",\
                "label":"Alice's phone / \\"two\\"","vapid_key":"BKey"}
                """
        )
        #expect(subscription.id == Example.id)
        #expect(subscription.endpoint.absoluteString == "https://push.example.org/wp/\(Example.id)")
        #expect(subscription.p256dh == Example.p256dh)
        #expect(subscription.auth == Example.auth)
        #expect(subscription.account == Example.account)
        #expect(subscription.deviceToken == Data([0x00, 0x7f, 0xAB, 0xff]))
    }

    @Test func `what is not given is left out`() async throws {
        let server = try LocalServer(.json(201, Example.subscribeAnswer))
        _ = try await waits.relay(at: server.url).subscribe(deviceToken: Data([0x12]))
        #expect(server.requests.first?.body == "{\"device_token\":\"12\"}")
    }

    @Test(arguments: [
        (200, Example.subscribeAnswer), (201, ""), (201, "{}"), (201, "<html>"),
        (201, Example.subscribeAnswer.replacingOccurrences(of: "\"\(Example.id)\"", with: "\"../x\"")),
        (201, Example.subscribeAnswer.replacingOccurrences(of: Example.auth, with: "short")),
        (201, Example.subscribeAnswer.replacingOccurrences(of: "https:", with: "javascript:")),
    ])
    func `an answer without the parts of a subscription is no relay's`(status: Int, body: String) async throws {
        let server = try LocalServer(.json(status, body))
        await #expect(throws: RelayClientError.notARelay(status: status)) {
            try await waits.relay(at: server.url).subscribe(deviceToken: Example.deviceToken)
        }
    }

    /// A call that tidies up, and its request.
    struct Call: Sendable, CustomTestStringConvertible {
        let request: String
        let body: String
        let run: @Sendable (RelayClient, PushSubscription) async throws -> Void

        var testDescription: String { request }

        static let all = [
            Call(request: "DELETE", body: "") { try await $0.unsubscribe($1) },
            Call(request: "POST /read", body: "{}") { try await $0.markRead($1) },
            Call(request: "POST /unread", body: "{\"count\":7}") { try await $0.setUnread(7, for: $1) },
            Call(request: "POST /unread", body: "{\"count\":-1}") { try await $0.setUnread(-1, for: $1) },
            Call(request: "POST /badges", body: "{\"enabled\":true}") {
                try await $0.setBadges(enabled: true, for: $1)
            },
            Call(request: "POST /badges", body: "{\"enabled\":false}") {
                try await $0.setBadges(enabled: false, for: $1)
            },
        ]
    }

    @Test(arguments: Call.all)
    func `a call that tidies up takes 204, and the 404 of a relay that does not know the route or the id`(
        call: Call
    ) async throws {
        let server = try LocalServer(
            .noContent,
            .json(404, Example.problem(.notFound)),
            .json(404, "<html>")
        )
        let relay = waits.relay(at: server.url)
        let subscription = try Example.subscription()
        try await call.run(relay, subscription)
        try await call.run(relay, subscription)
        await #expect(throws: RelayClientError.notARelay(status: 404)) { try await call.run(relay, subscription) }
        for request in server.requests {
            let path = request.target.replacingOccurrences(of: "/subscribe/\(Example.id)", with: "")
            #expect("\(request.method) \(path)".trimmingCharacters(in: .whitespaces) == call.request)
            #expect(request.body == call.body)
            #expect(request.fields["authorization"] == "Bearer the-subscribe-token")
        }
    }

    @Test func `the status is what the relay says`() async throws {
        let body = """
            {"created_at":1764561600,"environment":"production","badge":3,"badges_enabled":true,\
            "last_accepted_at":1764561700,"last_failure":{"at":1764561650,"message":"Apple did not\\nanswer"},\
            "vapid_key_pinned":true,"something_new":[1]}
            """
        let server = try LocalServer(.json(200, body))
        let status = try await waits.relay(at: server.url).status(of: Example.subscription())
        #expect(status.createdAt == Date(timeIntervalSince1970: 1_764_561_600))
        #expect(status.environment == .production)
        #expect(status.badge == 3)
        #expect(status.badgesEnabled)
        #expect(status.lastAcceptedAt == Date(timeIntervalSince1970: 1_764_561_700))
        #expect(status.lastFailure?.at == Date(timeIntervalSince1970: 1_764_561_650))
        #expect(status.lastFailure?.message == "Apple did not answer")
        #expect(status.isVAPIDKeyPinned)
        #expect(server.requests.first?.method == "GET")
        #expect(server.requests.first?.target == "/subscribe/\(Example.id)")
    }

    @Test func `what the relay does not know is nil`() async throws {
        let body = "{\"created_at\":1,\"badge\":0,\"badges_enabled\":false,\"vapid_key_pinned\":false}"
        let server = try LocalServer(.json(200, body))
        let status = try await waits.relay(at: server.url).status(of: Example.subscription())
        #expect(status.environment == nil)
        #expect(status.lastAcceptedAt == nil)
        #expect(status.lastFailure == nil)
        #expect(!status.badgesEnabled)
        #expect(!status.isVAPIDKeyPinned)
    }

    @Test func `the status of a subscription that is gone is to register anew`() async throws {
        let server = try LocalServer(.json(404, Example.problem(.notFound)))
        await #expect(throws: RelayClientError.registerAnew) {
            try await waits.relay(at: server.url).status(of: Example.subscription())
        }
    }

    @Test func `another server's 404 costs no subscription`() async throws {
        let server = try LocalServer(.json(404, "<html>"), .json(404, "<html>"))
        let relay = waits.relay(at: server.url)
        await #expect(throws: RelayClientError.notARelay(status: 404)) {
            try await relay.status(of: Example.subscription())
        }
        await #expect(throws: RelayClientError.notARelay(status: 404)) {
            try await relay.sendTest(to: Example.subscription())
        }
    }

    @Test func `a test that Apple accepts is told with its times in seconds`() async throws {
        let body = """
            {"apple":"accepted","environment":"sandbox","encrypted_ms":0.25,"decrypted_ms":0.5,"apple_ms":61.5,\
            "total_ms":63.0}
            """
        let server = try LocalServer(.json(200, body))
        let report = try await waits.relay(at: server.url).sendTest(to: Example.subscription())
        #expect(report.isAccepted)
        #expect(report.apple == "accepted")
        #expect(report.error == nil)
        #expect(report.remedy == nil)
        #expect(report.environment == .sandbox)
        #expect(report.encryptionTime == 0.000_25)
        #expect(report.decryptionTime == 0.000_5)
        #expect(report.appleTime == 0.061_5)
        #expect(report.totalTime == 0.063)
        #expect(server.requests.first?.method == "POST")
        #expect(server.requests.first?.target == "/subscribe/\(Example.id)/test")
    }

    @Test(arguments: [
        ("{\"apple\":\"BadDeviceToken\",\"error\":\"apple_failed\",\"remedy\":\"check\"}", ErrorWord.appleFailed),
        ("{\"apple\":\"accepted\",\"error\":\"database_unavailable\"}", .databaseUnavailable),
        ("{\"apple\":\"accepted\",\"error\":\"some_new_word\"}", nil), ("{}", nil),
    ])
    func `a test that failed is a report as well`(body: String, word: ErrorWord?) async throws {
        let server = try LocalServer(.json(200, body))
        let report = try await waits.relay(at: server.url).sendTest(to: Example.subscription())
        #expect(!report.isAccepted)
        #expect(report.error == word)
    }

    @Test func `a test of a subscription that is gone is to register anew`() async throws {
        let gone = LocalServer.Reply.json(404, Example.problem(.notFound))
        let server = try LocalServer(gone, gone)
        await #expect(throws: RelayClientError.registerAnew) {
            try await waits.relay(at: server.url).sendTest(to: Example.subscription())
        }
    }

    @Test func `a test at a relay that is older than tests does not cost the subscription`() async throws {
        let server = try LocalServer(
            .json(404, Example.problem(.notFound)),
            .json(405, Example.problem(.methodNotAllowed), fields: "Allow: DELETE")
        )
        let error = await #expect(throws: RelayClientError.self) {
            try await waits.relay(at: server.url).sendTest(to: Example.subscription())
        }
        guard case .configuration(.methodNotAllowed, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `the relay's URL may end in a slash`() async throws {
        let server = try LocalServer(.noContent)
        let url = try #require(URL(string: server.url.absoluteString + "/"))
        try await waits.relay(at: url).unsubscribe(Example.subscription())
        #expect(server.requests.map(\.target) == ["/subscribe/\(Example.id)"])
    }

    @Test(arguments: ["/wp", "/relay/", "?a=b"])
    func `a relay's URL with a path or a query is the app's mistake, and no subscription's end`(rest: String)
        async throws
    {
        let url = try #require(URL(string: "https://push.example.org" + rest))
        let message = "the relay's URL is its PUBLIC_URL, which has no path"
        await #expect(throws: RelayClientError.configuration(nil, message: message)) {
            try await waits.relay(at: url).unsubscribe(Example.subscription())
        }
    }
}
