import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

/// A push whose fields are out of the ordinary; its body is a good message unless the case has one of its own.
struct HostileHeader: Sendable, CustomTestStringConvertible {
    enum Expected: Sendable {
        /// 201, and what Apple gets: the seconds until it gives up (0 for never again), the priority, and whether there
        /// is a collapse id.
        case accepted(lifetime: Int64 = 60, priority: String = "10", collapses: Bool = false)
        case refused(Int, String)
    }

    let testDescription: String
    var coding: [String] = ["aes128gcm"]
    var timeToLive: [String] = ["60"]
    var fields: [(name: String, value: String)] = []
    var body: [UInt8]?
    let expected: Expected

    static func timeToLive(_ text: String, _ values: String..., expecting expected: Expected) -> Self {
        Self(testDescription: text, timeToLive: values, expected: expected)
    }

    static func field(
        _ text: String,
        _ name: String,
        _ values: String...,
        expecting expected: Expected = .accepted()
    ) -> Self {
        Self(testDescription: text, fields: values.map { (name, $0) }, expected: expected)
    }

    static func coding(_ text: String, _ values: String..., body: [UInt8]? = nil, expecting expected: Expected) -> Self
    {
        Self(testDescription: text, coding: values, body: body, expected: expected)
    }
}

extension HostileHeader {
    private static let badTTL = Expected.refused(400, "malformed_ttl")
    private static let badUrgency = Expected.refused(400, "malformed_urgency")
    private static let badTopic = Expected.refused(400, "malformed_topic")
    private static let badEncryption = Expected.refused(400, "malformed_encryption")
    private static let unknownCoding = Expected.refused(415, "unsupported_coding")
    private static let longest: Int64 = 30 * 86_400

    static let times = [
        timeToLive("W-01: a missing TTL does no harm, so it is 28 days", expecting: .accepted(lifetime: 28 * 86_400)),
        timeToLive("W-02: a TTL below zero", "-1", expecting: badTTL),
        timeToLive("W-03: an empty TTL", "", expecting: badTTL),
        timeToLive("W-03: a TTL in words", "abc", expecting: badTTL),
        timeToLive("W-03: a TTL with a fraction", "1.5", expecting: badTTL),
        timeToLive("W-03: a TTL in hex", "0x10", expecting: badTTL),
        timeToLive("W-03: a TTL with an exponent", "1e3", expecting: badTTL),
        timeToLive("W-04: a TTL with a sign", "+5", expecting: badTTL),
        timeToLive("W-05: a TTL in Arabic-Indic digits", "٥", expecting: badTTL),
        timeToLive("W-06: a TTL of 0 is now or never", "0", expecting: .accepted(lifetime: 0)),
        timeToLive("W-07: a TTL of 2^31 is 30 days", "2147483648", expecting: .accepted(lifetime: longest)),
        timeToLive("W-07: a TTL beyond 64 bits", "99999999999999999999", expecting: .accepted(lifetime: longest)),
        timeToLive("W-07: zeros in front", "0000000000000000000000060", expecting: .accepted()),
        timeToLive("W-08: two equal TTLs", "60", "60", expecting: badTTL),
        timeToLive("W-08: two TTLs that differ", "60", "0", expecting: badTTL),
        timeToLive("W-08: two TTLs in one field", "60, 60", expecting: badTTL),
    ]

    static let wishes = [
        field("W-10: very-low may wait", "Urgency", "very-low", expecting: .accepted(priority: "5")),
        field("W-10: low may wait", "Urgency", "low", expecting: .accepted(priority: "5")),
        field("W-11: high may not", "Urgency", "high"),
        field("W-11: no urgency is normal", "Urgency"),
        field("W-11: capitals are the same word", "Urgency", "HIGH"),
        field("W-12: a list of urgencies", "Urgency", "high, low", expecting: badUrgency),
        field("W-12: two urgencies", "Urgency", "high", "low", expecting: badUrgency),
        field("W-13: a word that is no urgency is refused", "Urgency", "critical", expecting: badUrgency),
        field(
            "W-14: a topic of 32 letters becomes a collapse id",
            "Topic",
            "ABCDEFGHabcdefgh01234567_-_-_-_-",
            expecting: .accepted(collapses: true)
        ),
        field("W-15: a topic of 33 letters", "Topic", "ABCDEFGHabcdefgh01234567_-_-_-_-x", expecting: badTopic),
        field("W-16: a topic with a plus", "Topic", "a+b", expecting: badTopic),
        field("W-16: a topic with a space", "Topic", "a b", expecting: badTopic),
        field("W-16: a topic with a slash", "Topic", "a/b", expecting: badTopic),
        field("W-16: an empty topic", "Topic", "", expecting: badTopic),
        field("W-16: a topic with a line end", "Topic", "a\r\napns-priority: 1", expecting: badTopic),
        field("W-16: two topics", "Topic", "a", "a", expecting: badTopic),
        field("W-22: a wish for an asynchronous answer is ignored", "Prefer", "respond-async"),
        field("W-30: no Content-Type", "Content-Type"),
        field("W-30: a Content-Type that it is not", "Content-Type", "text/html"),
    ]

    static let codings = [
        coding("W-17: without a coding a body is taken that has the form of aes128gcm", expecting: .accepted()),
        coding("W-17: without a coding any other body", body: Array("{}".utf8), expecting: unknownCoding),
        coding("W-17: without a coding zeros", body: Array(repeating: 0, count: 4_096), expecting: unknownCoding),
        coding("W-18: aesgcm is known, and its fields are missing", "aesgcm", expecting: badEncryption),
        coding("W-19: the coding twice in one field", "aes128gcm, aes128gcm", expecting: unknownCoding),
        coding("W-19: compressed and encrypted", "gzip, aes128gcm", expecting: unknownCoding),
        coding("W-19: the coding in two fields", "aes128gcm", "aes128gcm", expecting: unknownCoding),
        coding("W-19: two codings in two fields", "aesgcm", "aes128gcm", expecting: unknownCoding),
        coding("W-20: capitals are the same coding", "AES128GCM", expecting: .accepted()),
        field("W-21: a salt in a field too", "Encryption", "salt=AAAAAAAAAAAAAAAAAAAAAA", expecting: badEncryption),
        field(
            "W-21: a key in a field too",
            "Crypto-Key",
            "dh=BAAA",
            expecting: .refused(400, "malformed_crypto_key")
        ),
        field("W-21: the sender's signing key is no second key", "Crypto-Key", "p256ecdsa=BAAA"),
        coding("W-23: nothing at all, without a coding", body: [], expecting: .refused(400, "short_header")),
    ]
}

@Suite("POST /wp/{id}: fields out of the ordinary") struct HostileHeaderTests {
    private func sent(_ header: HostileHeader, to subscription: TestSubscription, of relay: TestRelay) async throws
        -> Response
    {
        let fields =
            header.coding.map { (name: "Content-Encoding", value: $0) }
            + header.timeToLive.map { (name: "TTL", value: $0) } + header.fields
        let body = try header.body ?? subscription.sender.encrypt(Array(TestRelay.comment.utf8))
        return await relay.request("POST", subscription.path, fields: fields, body: body)
    }

    @Test(arguments: HostileHeader.times + HostileHeader.wishes + HostileHeader.codings)
    func `a field has its one meaning, or the push is refused, uncounted and unknown to Apple`(
        header: HostileHeader
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let response = try await sent(header, to: subscription, of: relay)
        let requests = try await relay.apple.requests(for: subscription.deviceToken)
        switch header.expected {
        case .refused(let status, let word):
            #expect(response.status == status)
            #expect(response.errorWord == word)
            #expect(requests.isEmpty)
            #expect(try await relay.row(of: subscription)?.badgeCount == 0)
            #expect(response.value("Accept-Encoding") == (status == 415 ? "aes128gcm, aesgcm" : nil))
        case .accepted(let lifetime, let priority, let collapses):
            #expect(response.status == 201, "\(response.text)")
            #expect(response.value("TTL") == "\(lifetime)")
            let request = try #require(requests.first)
            #expect(request.headers["apns-expiration"] == "\(lifetime == 0 ? 0 : relay.clock.now + lifetime)")
            #expect(request.headers["apns-priority"] == priority)
            #expect((request.headers["apns-collapse-id"] != nil) == collapses)
            #expect(request.remarks == [])
            #expect(try await relay.row(of: subscription)?.badgeCount == 1)
        }
    }

    @Test func `W-18: aesgcm is accepted, with its two fields`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let legacy = try LegacyBody(Array(TestRelay.comment.utf8), to: subscription)
        let response = await relay.request("POST", subscription.path, fields: legacy.fields, body: legacy.body)
        #expect(response.status == 201, "\(response.text)")
        let request = try await relay.apple.firstRequest(for: subscription.deviceToken)
        #expect(request.payload.contains("vinz: nice"))
    }

    @Test(arguments: [("W-24: just allowed by RFC 8030", 4_096), ("W-25: all that is read", 65_536)])
    func `a body is never too large`(name: String, length: Int) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let body = try subscription.sender.encrypt(paddedJSON(octets: length - 103))
        #expect(body.count == length)
        let fields = [(name: "Content-Encoding", value: "aes128gcm")]
        #expect(await relay.request("POST", subscription.path, fields: fields, body: body).status == 201)
    }

    @Test func `W-31: 201 has an empty body, the TTL as clamped, and a random place that says nothing`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        var places: Set<String> = []
        for _ in 0..<3 {
            let fields = [(name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: "9999999")]
            let response = try await relay.push(TestRelay.freshComment(), to: subscription, fields: fields)
            #expect(response.status == 201)
            #expect(response.body == [])
            #expect(response.value("TTL") == "2592000")
            #expect(Set(response.fields.map(\.name)) == ["TTL", "Location"])
            let place = try #require(response.value("Location"))
            #expect(place.wholeMatch(of: /https:\/\/push\.example\.org\/m\/[A-Za-z0-9_-]{22}/) != nil)
            #expect(!place.contains(subscription.id))
            for method in ["GET", "DELETE", "POST"] {
                #expect(await relay.request(method, String(place.dropFirst(24))).status == 404)
            }
            places.insert(place)
        }
        #expect(places.count == 3)
    }

    @Test func `W-31: the 201 of a repetition looks like the first`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let body = try subscription.sender.encrypt(Array(TestRelay.comment.utf8))
        let fields = [(name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: "60")]
        let first = await relay.request("POST", subscription.path, fields: fields, body: body)
        let second = await relay.request("POST", subscription.path, fields: fields, body: body)
        #expect(first.status == 201)
        #expect(second.status == 201)
        #expect(second.fields.map(\.name) == first.fields.map(\.name))
        #expect(second.value("Location") != first.value("Location"))
        #expect(try await relay.apple.requests(for: subscription.deviceToken).count == 1)
    }

    @Test func `W-32: 429 says how long to wait`() async throws {
        let relay = try await TestRelay(burst: 1)
        let subscription = try await relay.subscribe()
        #expect(try await relay.push(to: subscription).status == 201)
        let refused = try await relay.push(to: subscription)
        #expect(refused.status == 429)
        #expect(refused.value("Retry-After") == "2")
    }

    @Test func `W-33: an unknown endpoint of a database that cannot be read is 503, never 404`() async throws {
        let relay = try await TestRelay()
        try await relay.store.close()
        let fields = [(name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: "60")]
        #expect(await relay.request("POST", "/wp/unknown", fields: fields, body: [1]).status == 503)
    }
}
