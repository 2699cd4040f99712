import Foundation
import Testing

@testable import RelayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct PixelfedClientTests {
    private let waits = Waits()

    private static let stored = """
        {"id":"17","endpoint":"https://push.example.org/wp/x","standard":true,"alerts":{"follow":true},"server_key":"BKey"}
        """

    @Test func `a registration is the form that Mastodon documents`() async throws {
        let server = try LocalServer(.json(200, Self.stored))
        let registration = try await waits.instance(at: server.url).register(Example.subscription())
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.target == "/api/v1/push/subscription")
        #expect(request.fields["authorization"] == "Bearer the-access-token")
        #expect(request.fields["content-type"] == "application/x-www-form-urlencoded")
        #expect(request.fields["accept"] == "application/json")
        let fields = [
            "subscription%5Bendpoint%5D=https%3A%2F%2Fpush.example.org%2Fwp%2F\(Example.id)",
            "subscription%5Bkeys%5D%5Bp256dh%5D=\(Example.p256dh)", "subscription%5Bkeys%5D%5Bauth%5D=\(Example.auth)",
            "subscription%5Bstandard%5D=true", "data%5Balerts%5D%5Bfollow%5D=true",
            "data%5Balerts%5D%5Bfollow_request%5D=true", "data%5Balerts%5D%5Bfavourite%5D=true",
            "data%5Balerts%5D%5Bmention%5D=true", "data%5Balerts%5D%5Breblog%5D=true",
            "data%5Balerts%5D%5Bpoll%5D=true", "data%5Balerts%5D%5Bstatus%5D=true", "data%5Balerts%5D%5Bupdate%5D=true",
        ]
        #expect(request.body == fields.joined(separator: "&"))
        #expect(registration.id == "17")
        #expect(registration.endpoint.absoluteString == "https://push.example.org/wp/x")
        #expect(registration.serverKey == "BKey")
    }

    @Test func `alerts that are not wanted are false`() throws {
        let url = try #require(URL(string: "https://pixels.example"))
        let request = try waits.instance(at: url).registration(of: Example.subscription(), alerts: [.mention])
        let alerts = String(decoding: request.httpBody ?? Data(), as: UTF8.self).components(separatedBy: "&").dropFirst(
            4
        )
        #expect(alerts.filter { $0.hasSuffix("=true") } == ["data%5Balerts%5D%5Bmention%5D=true"])
        #expect(alerts.count == PixelfedClient.Alert.allCases.count)
    }

    @Test func `an id may be a number, and the key may be missing`() async throws {
        let server = try LocalServer(.json(200, "{\"id\":328183,\"endpoint\":\"https://push.example.org/wp/x\"}"))
        let registration = try await waits.instance(at: server.url).register(Example.subscription())
        #expect(registration.id == "328183")
        #expect(registration.serverKey == nil)
    }

    static let refusals: [(status: Int, body: String, error: PixelfedError)] = [
        (401, "{\"error\":\"The access token was revoked\"}", .signInAgain), (401, "", .signInAgain),
        (403, "{\"message\":\"\"}", .missingScope), (404, "{\"message\":\"Not Found\"}", .pushNotAvailable),
        (404, "", .pushNotAvailable),
        (
            422, "{\"message\":\"The endpoint is not public.\",\"errors\":{}}",
            .refused(message: "The endpoint is not public.")
        ),
        (422, "{\"error\":\"Validation failed\"}", .refused(message: "Validation failed")),
        (409, "{}", .refused(message: "the answer is 409")), (302, "", .notAnInstance(status: 302)),
        (403, "<html>Are you human?</html>", .notAnInstance(status: 403)),
        (404, "<html>", .notAnInstance(status: 404)), (200, "<html>", .notAnInstance(status: 200)),
        (200, "{}", .notAnInstance(status: 200)), (200, "", .notAnInstance(status: 200)),
    ]

    @Test(arguments: refusals)
    func `an instance's answer says what the app can do`(status: Int, body: String, error: PixelfedError) async throws {
        let server = try LocalServer(.json(status, body))
        await #expect(throws: error) {
            try await waits.instance(at: server.url).register(Example.subscription())
        }
        #expect(waits.all.isEmpty)
    }

    @Test func `an instance that is busy is asked again, within the policy`() async throws {
        let busy = LocalServer.Reply.json(429, "{\"message\":\"Too Many Attempts.\"}", fields: "Retry-After: 60")
        let server = try LocalServer(.json(502, "<html>"), .json(500, ""), busy)
        await #expect(throws: PixelfedError.askAgainLater(after: 60, reason: "the answer is 429")) {
            try await waits.instance(at: server.url).register(Example.subscription())
        }
        #expect(waits.all == [1, 2])
    }

    @Test func `an instance that is not there is asked again later`() async throws {
        let url = try LocalServer().url
        let error = await #expect(throws: PixelfedError.self) { try await waits.instance(at: url).delete() }
        guard case .askAgainLater(nil, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        ("{\"configuration\":{\"vapid\":{\"public_key\":\"BKey_-=\"}},\"title\":\"Pixels\"}", "BKey_-="),
        ("{\"configuration\":{\"vapid\":{\"public_key\":null}}}", nil),
        ("{\"configuration\":{\"vapid\":{\"public_key\":\"\"}}}", nil), ("{\"configuration\":{\"vapid\":{}}}", nil),
        ("{\"configuration\":{}}", nil), ("{\"title\":\"old\"}", nil),
    ])
    func `the instance's key is read where it publishes one`(body: String, key: String?) async throws {
        let server = try LocalServer(.json(200, body))
        #expect(try await waits.instance(at: server.url).vapidKey() == key)
        let request = try #require(server.requests.first)
        #expect(request.method == "GET")
        #expect(request.target == "/api/v2/instance")
        #expect(request.fields["authorization"] == nil)
    }

    @Test func `an instance older than the route publishes no key, and a page is no instance`() async throws {
        let server = try LocalServer(.json(404, "{\"error\":\"Record not found\"}"), .json(200, "<html>"))
        let instance = waits.instance(at: server.url)
        #expect(try await instance.vapidKey() == nil)
        await #expect(throws: PixelfedError.notAnInstance(status: 200)) { try await instance.vapidKey() }
    }

    @Test func `an instance may say more of itself than a relay`() async throws {
        let body =
            "{\"rules\":\"\(String(repeating: "r", count: 200_000))\","
            + "\"configuration\":{\"vapid\":{\"public_key\":\"BKey\"}}}"
        let server = try LocalServer(.json(200, body))
        #expect(try await waits.instance(at: server.url).vapidKey() == "BKey")
    }

    @Test func `to end what is not there is done`() async throws {
        let server = try LocalServer(.json(200, "{}"), .json(404, "{\"message\":\"\"}"), .json(403, "{}"))
        let instance = waits.instance(at: server.url)
        try await instance.delete()
        try await instance.delete()
        await #expect(throws: PixelfedError.missingScope) { try await instance.delete() }
        #expect(server.requests.map(\.method) == ["DELETE", "DELETE", "DELETE"])
        #expect(server.requests.allSatisfy { $0.target == "/api/v1/push/subscription" })
    }
}
