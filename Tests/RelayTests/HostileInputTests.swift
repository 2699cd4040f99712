import Crypto
import Foundation
import RelayCore
import RelayTesting
import Store
import Testing

/// The bodies of `aes128gcm_bodies.json`, all for one receiver.
private struct Bodies: Decodable {
    let receiver: Receiver
    let cases: [Case]

    struct Receiver: Decodable {
        let ua_private: Octets
        let auth_secret: Octets
    }

    struct Case: Decodable {
        let id: String
        let body: Octets
        let plaintext: Octets?

        /// 201 for what opens to a message, 400 for everything else.
        var expectedStatus: Int {
            let object = plaintext.flatMap { try? JSONSerialization.jsonObject(with: Data($0.octets)) }
            return (object as? [String: Any])?["title"] is String ? 201 : 400
        }
    }
}

@Suite(.fewAtATime) struct HostileInputTests {
    @Test(arguments: [
        ("Content-Length: 8192\r\n", 8_192, 201), ("Content-Length: 8193\r\n", 0, 413), ("", 0, 411),
    ])
    func `a body of the app's has a length, and at most 8 KB`(field: String, octets: Int, status: Int) async throws {
        let relay = try await RelayProgram(apple: .shared())
        let json = #"{"device_token":"\#(freshToken())"}"#
        let body = octets == 0 ? "" : json.padding(toLength: octets, withPad: " ", startingAt: 0)
        let token = RelayProgram.subscribeToken
        let head = "POST /subscribe HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\(field)\r\n"
        let client = try HTTPClient(relay.address)
        try await client.send(Array((head + body).utf8))
        let answer = try await client.answer()
        #expect(answer.status == status)
        #expect(answer.values("Cache-Control") == ["no-store"])
    }

    @Test(arguments: [80, 128, 256])
    func `more connections than a process has descriptors are no end to it`(descriptors: Int) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple, preparation: "ulimit -n \(descriptors)")
        let endpoint = try await relay.subscribe(freshToken())
        // Each waits with nothing sent, so the longest idle one gives way to the next.
        let idle = try (0..<400).map { _ in try HTTPClient(relay.address) }
        #expect(try await relay.push(to: endpoint).status == 201)
        #expect(try await relay.isWell())
        withExtendedLifetime(idle) {}
        #expect(await relay.stop() == 0)
    }

    @Test func `every hostile body is answered by the rules, and the relay serves on`() async throws {
        let apple = try await AppleSimulator.shared()
        let bodies = try Vectors.load("aes128gcm_bodies", as: Bodies.self)
        let folder = try TemporaryFolder()
        // The vectors are for keys that the relay would not have chosen, so the rows are made before it starts; each
        // case has its own, since a row takes 20 messages at once and no more.
        let store = try Store(StoreFiles(database: folder.path("relay.sqlite")))
        for body in bodies.cases { _ = try await store.register(body.registration(for: bodies.receiver)) }
        try await store.close()

        let relay = try await RelayProgram(apple: apple, in: folder)
        var statuses: [String: Int] = [:]
        for body in bodies.cases {
            statuses[body.id] = try await relay.post(body.body.octets, to: "/wp/\(body.id)").status
        }
        #expect(statuses == Dictionary(uniqueKeysWithValues: bodies.cases.map { ($0.id, $0.expectedStatus) }))
        #expect(Set(statuses.values) == [201, 400])
        #expect(try await relay.isWell())
        #expect(await relay.stop() == 0)
    }

    private static let plaintexts: [String: [UInt8]] = [
        "empty": [],
        "null": Array("null".utf8),
        "a list": Array("[]".utf8),
        "nothing to show": Array("{}".utf8),
        "a title of another type": Array(#"{"title":7}"#.utf8),
        "not UTF-8": [0x7b, 0xff, 0xfe, 0x7d],
        "a lone surrogate": Array(#"{"title":"\ud800"}"#.utf8),
        "UTF-16": Array(#"{"title":"x"}"#.utf8).flatMap { [$0, 0] },
        "lists in lists": Array(String(repeating: "[", count: 60_000).utf8),
        "objects in objects": Array((#"{"title":"x","x":"# + String(repeating: #"{"x":"#, count: 10_000)).utf8),
        "cut off": Array(#"{"title":"x""#.utf8),
        "two values": Array(#"{"title":"x"}{"title":"y"}"#.utf8),
    ]

    @Test func `what decrypts to something else than a message is a 400, and the relay serves on`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        var statuses: [String: Int] = [:]
        for (name, plaintext) in Self.plaintexts {
            let body = try Push.body(plaintext, for: endpoint)
            statuses[name] = try await relay.post(body, to: endpoint.path).status
        }
        #expect(statuses == Self.plaintexts.mapValues { _ in 400 })
        // None of them was counted and none reached Apple.
        #expect(try await relay.push(to: endpoint).status == 201)
        #expect(try await apple.requests(for: device).map(\.badge) == [1])
        #expect(await relay.stop() == 0)
    }

    @Test(arguments: [
        (0, 400), (1, 400), (86, 400), (4_096, 400), (65_536, 400), (65_537, 413), (300_000, 413),
    ])
    func `a body of any length has an answer, and the row is kept`(length: Int, status: Int) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let endpoint = try await relay.subscribe(freshToken())
        let body = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
        #expect(try await relay.post(body, to: endpoint.path).status == status)
        #expect(try await relay.push(to: endpoint).status == 201)
        #expect(await relay.stop() == 0)
    }

    @Test func `octets that are no HTTP leave the relay as it was`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let openings: [[UInt8]] = [
            [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03, 0x0a, 0x0a],
            Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8), Array(repeating: 0, count: 65_536),
            Array("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n".utf8),
            Array("POST /wp/x HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\n".utf8),
            (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) },
        ]
        var endings: [String] = []
        for opening in openings {
            let client = try HTTPClient(relay.address)
            try await client.send(opening + Array("\r\n\r\n".utf8))
            endings.append(String(decoding: try await client.rest().prefix(10), as: UTF8.self))
        }
        // Whoever sent more than the relay wanted may see a reset instead of the answer.
        #expect(Set(endings).isSubset(of: ["HTTP/1.1 4", "HTTP/1.1 5", ""]))
        #expect(try await relay.isWell())
        #expect(await relay.stop() == 0)
    }

    @Test(arguments: [("401d200", "push_accepted", 2), ("401d503", "push_failed", 1)])
    func `what Apple says counts although the sender is gone`(
        prefix: String,
        event: String,
        nextBadge: Int
    ) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken(prefix)
        let endpoint = try await relay.subscribe(device)
        let sender = try HTTPClient(relay.address)
        try await sender.send(Push.request(Push.like, to: endpoint).octets)
        _ = try await apple.firstRequest(for: device)
        sender.vanish()
        try await apple.perform("release \(device)")
        try await relay.logged(event)

        try await apple.perform("answer \(device) 200")
        #expect(try await relay.push(to: endpoint).status == 201)
        #expect(try await apple.requests(for: device).map(\.badge) == [1, nextBadge])
        #expect(await relay.stop() == 0)
    }

    @Test func `a device that Apple calls gone is forgotten although the sender is`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken("401d410")
        let endpoint = try await relay.subscribe(device)
        let sender = try HTTPClient(relay.address)
        try await sender.send(Push.request(Push.like, to: endpoint).octets)
        _ = try await apple.firstRequest(for: device)
        sender.vanish()
        try await apple.perform("release \(device)")
        try await relay.logged("device_gone")
        #expect(try await relay.push(to: endpoint).status == 404)
    }
}

extension Bodies.Case {
    fileprivate func registration(for receiver: Bodies.Receiver) -> Registration {
        Registration(
            id: SubscriptionID(hashing: Array(id.utf8)),
            deviceToken: freshToken(),
            account: "",
            label: "",
            privateKey: receiver.ua_private.octets,
            authSecret: receiver.auth_secret.octets,
            createdAt: 1_750_000_000
        )
    }
}
