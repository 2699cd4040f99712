import Foundation
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

/// A text that is properly encrypted and out of the ordinary in itself.
struct HostilePayload: Sendable, CustomTestStringConvertible {
    enum Expected: Sendable {
        /// 400 with `malformed_message`.
        case refused
        /// 201, and what Apple gets holds the one and not the other.
        case accepted(with: [String] = [], without: [String] = [])
    }

    let testDescription: String
    let octets: [UInt8]
    let expected: Expected

    init(_ text: String, _ octets: [UInt8], _ expected: Expected) {
        testDescription = text
        self.octets = octets
        self.expected = expected
    }

    init(_ text: String, _ json: String, _ expected: Expected) {
        self.init(text, Array(json.utf8), expected)
    }

    /// A refused one.
    static func refused(_ text: String, _ jsons: String...) -> [Self] { jsons.map { Self(text, $0, .refused) } }

    /// An accepted one of which Apple gets something.
    static func accepted(_ text: String, _ json: String, _ parts: String..., without: String...) -> [Self] {
        [Self(text, json, .accepted(with: parts, without: without))]
    }
}

extension HostilePayload {
    private static let longID = String(repeating: "9", count: 5_000)

    static let shapes: [[HostilePayload]] = [
        refused("J-01: nothing", ""),
        refused("J-02: nothing to show", "{}", #"{"notification_type":"like"}"#, #"{"title":"","body":""}"#),
        refused("J-03: no object", "x", "[]", #""x""#, "null", "1", "true", " "),
        refused(
            "J-04: a title that is no text is refused",
            #"{"title":5}"#,
            #"{"title":["x"]}"#,
            #"{"title":{"x":1}}"#,
            #"{"title":true}"#
        ),
        accepted("J-05: ids that are null", #"{"title":"t","status_id":null,"account_id":null}"#, without: "_id"),
        accepted("J-05: no ids", #"{"title":"t"}"#, without: "_id"),
        accepted(
            "J-06: the digits of a number are forwarded as they are",
            #"{"title":"t","status_id":988149955134320972}"#,
            #""status_id":"988149955134320972""#
        ),
        accepted("J-07: an id of 5 kB is left out", #"{"title":"t","status_id":"\#(longID)"}"#, without: "_id"),
        accepted(
            "J-07: an id that looks like a path is text like any other",
            #"{"title":"t","status_id":"../../x"}"#,
            #""status_id":"../../x""#
        ),
        accepted(
            "J-07: a line end in an id is text like any other",
            #"{"title":"t","status_id":"1\n2"}"#,
            #""status_id":"1\n2""#
        ),
        accepted("J-08: unknown members", #"{"title":"t","x":{"y":[1,null]}}"#, #""title":"t""#, without: "x"),
        accepted(
            "J-09: an account and aps of the sender's",
            #"{"title":"t","account":"mallory","aps":{"badge":99}}"#,
            #""badge":1,"#,
            without: "mallory",
            "99"
        ),
    ]

    static let encodings: [[HostilePayload]] = [
        accepted(
            "J-13: control characters by their escapes",
            #"{"title":"\u0000\u0001\u001f"}"#,
            #""title":"\u0000\u0001\u001f""#
        ),
        refused(
            "J-14: raw control characters",
            "{\"title\":\"a\tb\"}",
            "{\"title\":\"a\nb\"}",
            "{\"title\":\"\u{1}\"}"
        ),
        accepted("J-15: U+202E and U+2028 stay", "{\"title\":\"\u{202e}\u{2028}\"}", "\u{202e}\u{2028}"),
        refused(
            "J-16: half of a surrogate pair is refused",
            #"{"title":"\ud800"}"#,
            #"{"title":"\udc00"}"#,
            #"{"title":"\udc00\ud800"}"#,
            #"{"title":"\ud800x"}"#,
            #"{"title":"\ud83d\u0020"}"#
        ),
        [
            Self("J-17: not UTF-8", quoted([0xff]), .refused),
            Self("J-17: an overlong solidus", quoted([0xc0, 0xaf]), .refused),
            Self("J-17: a surrogate in UTF-8", quoted([0xed, 0xa0, 0x80]), .refused),
            Self("J-17: beyond Unicode", quoted([0xf4, 0x90, 0x80, 0x80]), .refused),
            Self("J-17: half a character", quoted([0xe2, 0x82]), .refused),
            Self("J-18: UTF-16LE", titled.flatMap { [$0, 0] }, .refused),
            Self("J-18: UTF-16BE", titled.flatMap { [0, $0] }, .refused),
            Self("J-18: UTF-16LE with a mark", [0xff, 0xfe] + titled.flatMap { [$0, 0] }, .refused),
            Self("J-18: UTF-32LE", titled.flatMap { [$0, 0, 0, 0] }, .refused),
            Self("J-18: UTF-32BE", titled.flatMap { [0, 0, 0, $0] }, .refused),
            Self("J-19: a byte order mark is refused", [0xef, 0xbb, 0xbf] + titled, .refused),
        ],
        accepted("J-20: a comma at the end is overlooked", #"{"title":"t",}"#, #""title":"t""#),
        refused("J-21: something behind the object", #"{"title":"t"}x"#, #"{"title":"t"}{"title":"t"}"#),
        accepted("J-22: of two equal keys the first counts", #"{"title":"a","title":"b"}"#, #""title":"a""#),
        accepted("J-27: an escaped key", #"{"\u0074itle":"t"}"#, #""title":"t""#),
        refused("J-28: a key in capitals is another", #"{"Title":"t"}"#),
    ]

    private static let titled = Array(#"{"title":"t"}"#.utf8)

    private static func quoted(_ octets: [UInt8]) -> [UInt8] {
        Array(#"{"title":""#.utf8) + octets + Array(#""}"#.utf8)
    }
}

extension HostilePayload {
    static let bombs: [[HostilePayload]] = [
        accepted("J-23: 511 lists in the object, 512 levels", nested(511), #""title":"t""#),
        refused("J-23: a level more", nested(512)),
        refused("J-23: 20,000 levels", nested(20_000)),
        refused("J-24: 60 kB of brackets", String(repeating: "[", count: 60_000)),
        refused("J-24: 60 kB of objects", String(repeating: #"{"x":"#, count: 12_000)),
        accepted("J-25: 6,000 members", #"{"title":"t""# + manyMembers + "}", #""title":"t""#),
        accepted("J-26: a number of 60,000 digits that nobody asks for is ignored", number(digits), "title"),
        accepted("J-26: a number too large for anybody, that nobody asks for, is ignored", number("1e400"), "title"),
        refused("J-26: a number that is none", number("NaN"), number("Infinity"), number("-Infinity")),
    ]

    static let types: [[HostilePayload]] = [
        accepted(
            "J-29: an unknown type is forwarded and has the default sound",
            #"{"title":"t","notification_type":"moon.landing"}"#,
            #""notification_type":"moon.landing""#,
            #""sound":"default""#
        ),
        accepted("J-29: an empty type", #"{"title":"t","notification_type":""}"#, #""sound":"default""#),
        accepted(
            "J-29: a type of 5 kB is cut to 64 octets",
            #"{"title":"t","notification_type":"\#(String(repeating: "x", count: 5_000))"}"#,
            #""notification_type":"\#(String(repeating: "x", count: 64))""#
        ),
        accepted(
            "J-29: a line end in a type is text",
            #"{"title":"t","notification_type":"like\r\napns-priority: 1"}"#,
            #""notification_type":"like\r\napns-priority: 1""#,
            #""sound":"default""#
        ),
    ]

    private static let digits = String(repeating: "9", count: 60_000)
    private static let manyMembers = (0..<6_000).map { #","k\#($0)":0"# }.joined()
    private static func number(_ text: String) -> String { #"{"title":"t","x":\#(text)}"# }

    private static func nested(_ levels: Int) -> String {
        #"{"title":"t","x":"# + String(repeating: "[", count: levels) + String(repeating: "]", count: levels) + "}"
    }
}

@Suite("POST /wp/{id}: texts out of the ordinary") struct HostilePayloadTests {
    private let fields = [(name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: "60")]

    @Test(
        arguments: (HostilePayload.shapes + HostilePayload.encodings + HostilePayload.bombs + HostilePayload.types)
            .flatMap(\.self)
    )
    func `a text is a message, or is answered 400, uncounted and unknown to Apple`(
        payload: HostilePayload
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let body = try subscription.sender.encrypt(payload.octets)
        let response = await relay.request("POST", subscription.path, fields: fields, body: body)
        let requests = try await relay.apple.requests(for: subscription.deviceToken)
        let count = try await relay.row(of: subscription)?.badgeCount
        switch payload.expected {
        case .refused:
            #expect(response.status == 400)
            #expect(response.errorWord == "malformed_message")
            #expect(requests.isEmpty)
            #expect(count == 0)
        case .accepted(let parts, let others):
            #expect(response.status == 201, "\(response.text)")
            let request = try #require(requests.first)
            #expect(request.remarks == [])
            #expect(request.headers["apns-priority"] == "10")
            for part in parts { #expect(request.payload.contains(part), "\(request.payload)") }
            for other in others { #expect(!request.payload.contains(other), "\(request.payload)") }
            #expect(count == 1)
        }
    }

    @Test(arguments: [
        ("J-10: 10 kB of title", String(repeating: "t", count: 10_000)),
        ("J-11: 2,000 families", String(repeating: "👩‍👩‍👧", count: 2_000)),
        ("J-12: quotes", String(repeating: #"\""#, count: 2_000)),
        ("J-12: backslashes", String(repeating: #"\\"#, count: 2_000)),
        ("J-12: solidi", String(repeating: "/", count: 2_000)),
    ])
    func `a text that is too long is cut between two characters, to at most 4,096 octets with its escapes`(
        name: String,
        text: String
    ) async throws {
        let relay = try await TestRelay()
        let request = try await relay.accepted(#"{"title":"\#(text)"}"#, to: relay.subscribe())
        #expect(request.payloadOctets <= 4_096)
        let object = try JSONSerialization.jsonObject(with: Data(request.payload.utf8)) as? [String: Any]
        let title = try #require(((object?["aps"] as? [String: Any])?["alert"] as? [String: String])?["title"])
        #expect(Set(title.filter { $0 != "…" }).count == 1)
        #expect(!title.contains("\u{fffd}"))
    }

    @Test func `J-31: two equal texts, freshly encrypted, are two alerts while no other device failed`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        #expect(try await relay.accepted(to: subscription).badge == 1)
        #expect(try await relay.accepted(to: subscription).badge == 2)
    }

    @Test func `J-31: a text that comes again since another device failed is answered 201 and not shown`()
        async throws
    {
        let relay = try await TestRelay()
        let phone = try await relay.subscribe(account: "alice")
        let tablet = try await relay.subscribe(freshToken("fa111"), account: "alice")
        #expect(try await relay.push(TestRelay.comment, to: phone).status == 201)
        _ = try await relay.push(TestRelay.comment, to: tablet)
        #expect(try await relay.push(TestRelay.comment, to: phone).status == 201)
        #expect(try await relay.apple.requests(for: phone.deviceToken).count == 1)
        #expect(try await relay.row(of: phone)?.badgeCount == 1)
    }

    @Test func `J-32: the same octets again are answered 201 and shown once within 120 s`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let body = try subscription.sender.encrypt(Array(TestRelay.comment.utf8))
        for _ in 0..<3 {
            #expect(await relay.request("POST", subscription.path, fields: fields, body: body).status == 201)
        }
        #expect(try await relay.apple.requests(for: subscription.deviceToken).count == 1)
    }

    @Test func `J-33: each 201 counts one, and nothing else counts`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        #expect(try await relay.accepted(to: subscription).badge == 1)
        #expect(try await relay.push("{}", to: subscription).status == 400)
        try await relay.apple.perform("answer \(subscription.deviceToken) 500")
        #expect(try await relay.push(to: subscription).status == 502)
        try await relay.apple.perform("answer \(subscription.deviceToken) 200")
        #expect(try await relay.accepted(to: subscription).badge == 2)
    }
}
