import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

/// A target that is nearly an endpoint.
struct HostilePath: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What becomes of the endpoint's own path.
    let path: @Sendable (String) -> String

    init(_ id: String, _ path: @escaping @Sendable (String) -> String) {
        testDescription = id
        self.path = path
    }

    static let all = [
        HostilePath("R-09: the other alphabet of base64") { _ in "/wp/AAAAAAAAAAAAAAAAAAAAA+" },
        HostilePath("R-09: an id in capitals") { $0.prefix(4) + $0.dropFirst(4).uppercased() + "A" },
        HostilePath("R-10: one character short") { String($0.dropLast()) },
        HostilePath("R-10: one character long") { $0 + "A" },
        HostilePath("R-11: 5,000 times a") { _ in "/wp/" + String(repeating: "a", count: 5_000) },
        HostilePath("R-12: a condition of SQL") { _ in "/wp/%27%20OR%201=1--" },
        HostilePath("R-13: a sign of LIKE, %") { _ in "/wp/%" },
        HostilePath("R-13: a sign of LIKE, _") { _ in "/wp/_" },
        HostilePath("R-13: as many _ as an id has letters") { _ in "/wp/" + String(repeating: "_", count: 22) },
        HostilePath("R-13: a sign of GLOB") { _ in "/wp/*" },
        HostilePath("R-13: a dot") { _ in "/wp/." },
        HostilePath("R-14: a letter that is percent-encoded") { path in
            let letter = path.dropFirst(4).utf8.first ?? 0
            return "/wp/%" + String(letter, radix: 16) + path.dropFirst(5)
        },
        HostilePath("R-15: a zero behind the id") { $0 + "%00" },
        HostilePath("R-16: up to another route") { _ in "/wp/../subscribe" },
        HostilePath("R-16: up, encoded") { _ in "/wp/..%2fsubscribe" },
        HostilePath("R-17: the absolute form") { "http://push.example.org" + $0 },
        HostilePath("R-18: a query") { $0 + "?x=1" },
        HostilePath("R-18: an empty query") { $0 + "?" },
        HostilePath("R-18: a fragment") { $0 + "#f" },
    ]
}

@Suite("Paths that are nearly an endpoint") struct HostilePathTests {
    @Test(arguments: HostilePath.all)
    func `is the 404 of an unknown id, and no push`(hostile: HostilePath) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let fields = [(name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: "60")]
        let body = try subscription.sender.encrypt(Array(TestRelay.like.utf8))
        let path = hostile.path(subscription.path)
        let response = await relay.request("POST", path, fields: fields, body: body)
        let unknown = await relay.request("POST", "/wp/AAAAAAAAAAAAAAAAAAAAAA", fields: fields, body: body)
        #expect(response.status == 404)
        #expect(response.body == unknown.body)
        #expect(response.fields.map(\.name) == unknown.fields.map(\.name))
        #expect(try await relay.apple.requests(for: subscription.deviceToken).isEmpty)
        #expect(!relay.logLines.contains { $0.contains(path) })
        #expect(try await relay.accepted(to: subscription).badge == 1)
    }

    @Test func `R-11: an id that cannot be one is 404 without a look into the database`() async throws {
        let relay = try await TestRelay()
        try await relay.store.close()
        let known = await relay.request("POST", "/wp/AAAAAAAAAAAAAAAAAAAAAA", body: [1])
        let long = await relay.request("POST", "/wp/" + String(repeating: "a", count: 5_000), body: [1])
        #expect(known.status == 503)
        #expect(long.status == 404)
    }

    @Test(arguments: ["evil.example", "evil.example:8443", "[::1]", ""])
    func `R-23: an endpoint has the relay's own name, whatever the client calls it`(host: String) async throws {
        let relay = try await TestRelay()
        let response = await relay.request(
            "POST",
            "/subscribe",
            fields: [
                ("Host", host), ("X-Forwarded-Host", host), ("Authorization", "Bearer \(TestRelay.subscribeToken)"),
            ],
            body: Array(#"{"device_token":"\#(freshToken())"}"#.utf8)
        )
        let subscription = try TestSubscription(response, deviceToken: "")
        #expect(subscription.endpoint == "https://push.example.org/wp/\(subscription.id)")
    }

    @Test func `T-15: another X-Forwarded-For with each push is no way around the limit`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        for number in 0...20 {
            let fields = [(name: "TTL", value: "60"), (name: "X-Forwarded-For", value: "192.0.2.\(number)")]
            let response = try await relay.push(TestRelay.freshComment(), to: subscription, fields: fields)
            #expect(response.status == (number < 20 ? 201 : 429))
        }
    }

    @Test(arguments: ["not-an-ip", "", ",", "1.2.3.4, , 5", "\u{1b}[31m", String(repeating: "1.2.3.4,", count: 1_000)])
    func `T-16: an X-Forwarded-For that is none changes nothing and is not logged`(value: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let fields = [(name: "X-Forwarded-For", value: value), (name: "X-Real-IP", value: value)]
        #expect(try await relay.push(to: subscription, fields: fields).status == 201)
        let lines = relay.logLines
        #expect(lines.count == 2)
        #expect(lines.allSatisfy(isOnePlainLine))
        #expect(!lines.contains { $0.contains("1.2.3.4") || $0.contains("not-an-ip") })
    }

    @Test func `Z-01, Z-05: ten thousand questions after its health are two letters each, and leave no trace`()
        async throws
    {
        let relay = try await TestRelay()
        // The first look opens the log of the database.
        _ = try await relay.subscribe()
        let lines = relay.logLines.count
        let before = FileState(relay.databasePath)
        for _ in 0..<10_000 {
            let response = await relay.request("GET", "/healthz")
            let names = response.fields.map(\.name)
            guard response.status == 200, response.text == "ok", names == ["Content-Type", "Cache-Control"] else {
                Issue.record("\(response.status) \(response.fields) \(response.text)")
                return
            }
        }
        #expect(relay.logLines.count == lines)
        #expect(FileState(relay.databasePath) == before)
    }
}
