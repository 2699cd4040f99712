import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite struct RouteTests {
    @Test(arguments: [
        ("GET", "/wp/x", "POST"), ("PUT", "/wp/x", "POST"), ("DELETE", "/wp/x", "POST"), ("BREW", "/wp/x", "POST"),
        ("post", "/wp/x", "POST"), ("GET", "/subscribe", "POST"), ("PUT", "/subscribe", "POST"),
        ("POST", "/subscribe/x", "GET, HEAD, DELETE"), ("PUT", "/subscribe/x", "GET, HEAD, DELETE"),
        ("get", "/subscribe/x", "GET, HEAD, DELETE"), ("GET", "/subscribe/x/read", "POST"),
        ("GET", "/subscribe/x/unread", "POST"), ("DELETE", "/subscribe/x/badges", "POST"),
        ("GET", "/subscribe/x/test", "POST"), ("HEAD", "/subscribe/x/test", "POST"),
        ("POST", "/healthz", "GET, HEAD"), ("OPTIONS", "/wp/x", "POST"), ("TRACE", "/subscribe", "POST"),
    ])
    func `another method is answered 405 with Allow`(method: String, path: String, allow: String) async throws {
        let relay = try await TestRelay()
        let response = await relay.request(method, path)
        #expect(response.status == 405)
        #expect(response.value("Allow") == allow)
        #expect(response.errorWord == "method_not_allowed")
    }

    @Test(arguments: [
        "/", "/favicon.ico", "/.env", "/wp", "/wp/", "/wp/x/", "/wp/x/y", "/WP/x", "/wp/x?y=1", "//wp//x",
        "/wp/../healthz",
        "/wp/%30", "/wp/a%00b", "/wp/a.b", "/subscribe/", "/subscribe/x/READ", "/subscribe/x/read/",
        "/subscribe/x/test/", "/subscribe//test", "/subscribe/x/y/test",
        "/subscribe/x/read/y", "/healthz/", "/healthz?x", "/wp/\(String(repeating: "a", count: 65))", "wp/x",
    ])
    func `any other path is answered 404`(path: String) async throws {
        let relay = try await TestRelay()
        for method in ["GET", "POST", "DELETE"] {
            let response = await relay.request(method, path)
            #expect(response.status == 404)
            #expect(response.errorWord == "not_found")
        }
    }

    @Test func `an unknown id, a deleted one and a malformed one cannot be told apart`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        #expect(await relay.app("DELETE", "/subscribe/\(subscription.id)").status == 204)
        let deleted = await relay.request("POST", subscription.path, body: [1])
        let unknown = await relay.request("POST", "/wp/AAAAAAAAAAAAAAAAAAAAAA", body: [1])
        #expect(deleted.status == 404)
        let malformed = await relay.request("POST", "/wp/%41", body: [1])
        for other in [unknown, malformed] {
            #expect(deleted.text == other.text)
            #expect(deleted.fields.map(\.name) == other.fields.map(\.name))
        }
    }

    @Test(arguments: ["GET", "HEAD"])
    func `/healthz is 200 ok`(method: String) async throws {
        let relay = try await TestRelay()
        let response = await relay.request(method, "/healthz")
        #expect(response.status == 200)
        #expect(response.text == "ok")
    }

    @Test func `/healthz is 503 when the database cannot be used`() async throws {
        let relay = try await TestRelay()
        try await relay.store.close()
        let response = await relay.request("GET", "/healthz")
        #expect(response.status == 503)
        #expect(response.errorWord == "database_unavailable")
    }

    @Test func `/healthz is 200 while Apple is down`() async throws {
        let relay = try await TestRelay(appleOrigin: "https://127.0.0.1:1")
        #expect(try await relay.push(to: relay.subscribe()).status == 502)
        #expect(await relay.request("GET", "/healthz").status == 200)
    }

    @Test(arguments: [
        ("POST", "/wp/x", 65_536, true), ("POST", "/subscribe", 8_192, true),
        ("POST", "/subscribe/x/unread", 8_192, true), ("POST", "/subscribe/x/badges", 8_192, true),
        ("POST", "/subscribe/x/read", 8_192, false), ("DELETE", "/subscribe/x", 8_192, false),
        ("POST", "/subscribe/x/test", 8_192, false), ("GET", "/subscribe/x", 8_192, false),
        ("GET", "/healthz", 8_192, false), ("GET", "/wp/x", 65_536, false), ("POST", "/elsewhere", 65_536, false),
    ])
    func `a message is at most 64 KB, a body of the app's at most 8 KB`(
        method: String,
        path: String,
        limit: Int,
        isRequired: Bool
    ) {
        let rule = Routes.bodyRule(for: Head(method: method, target: Array(path.utf8)))
        #expect(rule.limit == limit)
        #expect(rule.isRequired == isRequired)
    }
}
