import Crypto
import Foundation
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

/// Size and time of what a database writes.
struct FileState: Equatable {
    private let files: [String]

    init(_ path: String) {
        files = ["", "-wal"].map { ending in
            guard let found = try? FileManager.default.attributesOfItem(atPath: path + ending) else { return "none" }
            return "\(found[.size] ?? 0) \(found[.modificationDate] ?? 0)"
        }
    }
}

/// Whether what was written is printable ASCII and ends with its only line feed.
func isOnePlainLine(_ text: String) -> Bool {
    text.utf8.last == 0x0a && text.utf8.dropLast().allSatisfy { (0x20...0x7e).contains($0) }
}

@Suite("Requests of the app that are not quite right") struct HostileAppRequestTests {
    private static let token = TestRelay.subscribeToken

    /// Every route of the app, for an id.
    private static func routes(_ id: String) -> [(method: String, path: String)] {
        [
            ("POST", "/subscribe"), ("DELETE", "/subscribe/\(id)"), ("POST", "/subscribe/\(id)/read"),
            ("POST", "/subscribe/\(id)/unread"), ("POST", "/subscribe/\(id)/badges"), ("GET", "/subscribe/\(id)"),
            ("HEAD", "/subscribe/\(id)"), ("POST", "/subscribe/\(id)/test"),
        ]
    }

    @Test(arguments: [
        "S-04: Bearer \(token)\0", "S-04: Bearer \(token), Bearer \(token)", "S-04: Bearer \(token)=",
        "S-05: Basic \(Data("app:\(token)".utf8).base64EncodedString())",
        "S-07: \(String(repeating: "a", count: 16_000))",
        "S-07: Bearer \(String(repeating: "a", count: 16_000))", "A-03: Bearer \0", "A-03: Bearer tökén",
        "A-03: Bearer \(token)\(String(repeating: "\u{301}", count: 50_000))", "A-03: \u{212a}earer \(token)",
    ])
    func `a credential that is not the token is 401, before anything is looked up`(text: String) async throws {
        let relay = try await TestRelay()
        let id = try await relay.subscribe().id
        let value = String(text.dropFirst("S-04: ".count))
        // A-02: a database that cannot be asked cannot make a difference.
        try await relay.store.close()
        var answers: Set<String> = []
        for (method, path) in Self.routes(id) + Self.routes("AAAAAAAAAAAAAAAAAAAAAA") {
            let response = await relay.request(method, path, fields: [("Authorization", value)])
            #expect(response.status == 401)
            answers.insert("\(response.fields) \(response.text)")
            #expect(await relay.app(method, path, "{}").status != 401)
        }
        #expect(answers.count == 1)
        #expect(!relay.logLines.contains { $0.contains(Self.token) })
    }

    @Test func `S-05: a token elsewhere than in its field is none`() async throws {
        let relay = try await TestRelay()
        let body = Array(#"{"device_token":"\#(freshToken())","access_token":"\#(Self.token)"}"#.utf8)
        #expect(await relay.request("POST", "/subscribe", body: body).status == 401)
        #expect(await relay.request("POST", "/subscribe?access_token=\(Self.token)", body: body).status == 404)
    }

    @Test func `L-08: a thousand wrong tokens are 401 each, and the right one opens at once`() async throws {
        let relay = try await TestRelay()
        let body = Array(#"{"device_token":"\#(freshToken())"}"#.utf8)
        for number in 0..<1_000 {
            let fields = [(name: "Authorization", value: "Bearer \(number)")]
            guard await relay.request("POST", "/subscribe", fields: fields, body: body).status != 401 else { continue }
            Issue.record("\(number) opened")
        }
        #expect(try await relay.push(to: relay.subscribe()).status == 201)
    }

    /// How long it takes must not tell how much of a token is right; what is compared is a digest of 32 octets.
    @Test func `A-01: tokens are compared by their digests, with the function that looks at every octet`() throws {
        let tokens = try source("Sources/RelayCore/Configuration/SubscribeTokens.swift")
        #expect(tokens.contains("digests.reduce(false) { SHA256.areEqual($1, digest) || $0 }"))
        #expect(!tokens.contains("==" + " digest"))
        let digests = try source("Sources/Crypto/SHA256.swift")
        #expect(digests.contains("CRYPTO_memcmp(one, other, one.count) == 0"))
    }

    private func source(_ path: String) throws -> String {
        try String(contentsOf: Vectors.repository.appending(path: path), encoding: .utf8)
    }

    @Test(arguments: [
        #"S-12: {"device_token":"٠١٢٣٤٥٦٧٨٩٠١٢٣٤٥"}"#, #"S-12: {"device_token":"０１２３４５６７８９０１２３４５"}"#,
        #"S-13: {"device_token":"%2e%2e%2f%2e%2e%2f3%2fdevice"}"#, #"S-13: {"device_token":"abcdef0123456789?x"}"#,
        #"S-13: {"device_token":"abcdef0123456789#x"}"#, #"S-13: {"device_token":"abcdef01 23456789"}"#,
        #"S-13: {"device_token":"abcdef0123456789\r\nx: y"}"#, #"S-13: {"device_token":"abcdef0123456789\u0000"}"#,
        #"S-16: {"device_token":"abcdef0123456789","account":["a"]}"#,
        #"S-16: {"device_token":"abcdef0123456789","account":{}}"#,
        #"S-17: {"device_token":"abcdef0123456789","account":"\#(String(repeating: "a", count: 8_000))"}"#,
        #"S-21: {"device_token":"abcdef0123456789","label":"\#(String(repeating: "a", count: 8_000))"}"#,
    ])
    func `a registration that is none is 400 and leaves no row`(text: String) async throws {
        let relay = try await TestRelay()
        let before = FileState(relay.databasePath)
        let response = await relay.app("POST", "/subscribe", String(text.dropFirst("S-12: ".count)))
        #expect(response.status == 400)
        #expect(response.errorWord == "malformed_body")
        #expect(FileState(relay.databasePath) == before)
    }

    @Test(arguments: [
        (#"S-18: a"#, #"a\u0000b"#), (#"S-18: a\u0000b"#, #"a\u0000c"#), ("S-19: é", "e\u{301}"),
        ("S-19: Å", "\u{212b}"),
        (#"S-20: \"a\\b'"#, #"\"a\\b"#), ("S-20: \u{202e}abc", "abc"), ("S-20: 👩‍👩‍👧", "👩👩👧"), ("S-20: a", "A"),
    ])
    func `accounts that look alike are two, and each is echoed octet for octet`(one: String, other: String)
        async throws
    {
        let relay = try await TestRelay()
        let device = freshToken()
        for account in [String(one.dropFirst("S-18: ".count)), other] {
            let subscription = try await relay.subscribe(device, account: account)
            let sent = try await relay.accepted(to: subscription).payload
            let payload = try JSONDecoder().decode(Echo.self, from: Data(sent.utf8))
            let expected = try JSONDecoder().decode(Echo.self, from: Data(#"{"account":"\#(account)"}"#.utf8))
            #expect(Array(payload.account.utf8) == Array(expected.account.utf8))
        }
        #expect(try await relay.apple.requests(for: device).compactMap(\.badge) == [1, 2])
    }

    private struct Echo: Decodable { let account: String }

    @Test(arguments: [#"a\nlevel=error"#, #"\u001b[31mred"#, #"a\u0000b"#, #"\u2028x"#, #"\" event=fake"#])
    func `S-21: a label that could be a line of the log is kept, and no line of the log`(label: String) async throws {
        let relay = try await TestRelay()
        let body = #"{"device_token":"\#(freshToken())","label":"\#(label)","account":"\#(label)"}"#
        let response = await relay.app("POST", "/subscribe", body)
        #expect(response.status == 201)
        let subscription = try TestSubscription(response, deviceToken: "")
        #expect(try await relay.push(to: subscription).status == 201)
        #expect(relay.logLines.count == 2)
        #expect(relay.logLines.allSatisfy(isOnePlainLine))
        #expect(relay.logLines(of: "fake").isEmpty)
    }

    @Test func `S-28, S-30: an endpoint fits the sender's column, and a private key is nowhere to be read`()
        async throws
    {
        let origin = "https://" + String(repeating: "a", count: 432)
        let relay = try await TestRelay(publicURL: origin)
        let response = await relay.app("POST", "/subscribe", #"{"device_token":"\#(freshToken())"}"#)
        let subscription = try TestSubscription(response, deviceToken: "")
        #expect(origin.utf8.count == 440)
        #expect(subscription.endpoint.utf8.count <= 500)
        let key = try #require(try await relay.row(of: subscription)).privateKey
        for text in [response.text] + relay.logLines {
            #expect(!text.contains(Base64URL.encode(key)))
            #expect(!text.lowercased().contains(key.map { String(format: "%02x", $0) }.joined()))
        }
    }

    @Test(arguments: ["text/plain", "text/html", "", "application/json; charset=utf-16", "multipart/form-data"])
    func `S-34: what a body is said to be does not matter`(type: String) async throws {
        let relay = try await TestRelay()
        let fields = [
            (name: "Authorization", value: "Bearer \(Self.token)"), (name: "Content-Type", value: type),
        ]
        let body = Array(#"{"device_token":"\#(freshToken())"}"#.utf8)
        #expect(await relay.request("POST", "/subscribe", fields: fields, body: body).status == 201)
    }

    @Test(
        arguments: [
            (#"U-10: {"count":7.0}"#, 8), (#"U-10: {"count":7e0}"#, 8), (#"U-10: {"count":1e2}"#, 101),
            (#"U-11: {"count":0.99999999999999999999}"#, 2), (#"U-11: {"count":1e-400}"#, 1),
            (#"U-12: {"count":{}}"#, nil), (#"U-12: {"count":"7"}"#, nil), (#"U-12: {"count":false}"#, nil),
            (#"U-13: [7]"#, nil), (#"U-13: 7"#, nil), (#"U-13: {"Count":7}"#, nil), (#"U-13: {"count":7"#, nil),
            (#"U-20: {"count":7,"count":9}"#, 8), (#"U-20: {"count":9,"count":"x"}"#, 10),
        ] as [(String, Int?)]
    )
    func `a count is a whole number, however it is written, or is 400 and changes nothing`(
        text: String,
        badge: Int?
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let path = "/subscribe/\(subscription.id)/unread"
        let response = await relay.app("POST", path, String(text.dropFirst("U-10: ".count)))
        #expect(response.status == (badge == nil ? 400 : 204))
        #expect(try await relay.accepted(to: subscription).badge == badge ?? 1)
    }

    @Test(arguments: ["U-16: 0", "U-16: 1.0", #"U-16: "false""#, "U-16: []", "U-16: {}"])
    func `whether badges are shown is true or false`(text: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let body = #"{"enabled":\#(text.dropFirst("U-16: ".count))}"#
        #expect(await relay.app("POST", "/subscribe/\(subscription.id)/badges", body).status == 400)
        #expect(try await relay.accepted(to: subscription).badge == 1)
    }
}
