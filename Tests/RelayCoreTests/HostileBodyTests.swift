import Crypto
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

/// A body that the case's sender makes for a subscription.
struct HostileBody: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (TestSubscription) throws -> [UInt8]
    /// The word of the refusal; nil is 201.
    let word: String?

    init(_ text: String, _ word: String?, _ make: @escaping @Sendable (TestSubscription) throws -> [UInt8]) {
        testDescription = text
        self.make = make
        self.word = word
    }

    /// A good body of 247 octets or so, changed on the way.
    static func changed(_ text: String, _ word: String?, _ change: @escaping @Sendable (inout [UInt8]) -> Void) -> Self
    {
        Self(text, word) { subscription in
            var body = try ForgedBody(to: subscription).sealing(good)
            change(&body)
            return body
        }
    }

    /// A body whose maker does something else than the RFCs have.
    static func forged(
        _ text: String,
        _ word: String?,
        record: [UInt8] = good,
        _ change: @escaping @Sendable (inout ForgedBody) -> Void = { _ in }
    ) -> Self {
        Self(text, word) { subscription in
            var forged = ForgedBody(to: subscription)
            change(&forged)
            return try forged.sealing(record)
        }
    }

    private static let text = Array(TestRelay.like.utf8)
    /// A text and its delimiter.
    static let good = text + [2]
    private static let header = 86
}

extension HostileBody {
    static let opened: [HostileBody] = [
        forged("E01: a text without padding", nil),
        forged("E02: padded to 2,820 octets as Pixelfed does", nil, record: good.padded(to: 2_820)),
        forged("E03: the largest of 4,096 octets", nil, record: paddedJSON(octets: 3_993) + [2]),
        forged("E04: 4,078 octets of text in a record of 4,096", nil, record: paddedJSON(octets: 4_078) + [2]) {
            $0.recordSize = 4_096
        },
        forged("E05: an empty text is no message", "malformed_message", record: [2]),
        forged("E06: a text that ends in zeros is no message", "malformed_message", record: text + [0, 0, 2]),
        forged("E07: delimiters in the text, which is no message", "malformed_message", record: [1, 2, 2, 1, 2]),
        forged("E08: a record that fills its size", nil) { $0.recordSize = UInt32(good.count + 16) },
        forged("E09: a record size of 2^32-1", nil) { $0.recordSize = .max },
        forged("E10: a record size of 2^31", nil) { $0.recordSize = 1 << 31 },
        forged("E91: a text that is not UTF-8 is no message", "malformed_message", record: [0xff, 0xfe, 0xfd, 2]),
        forged("E92: 65,536 octets", nil, record: good.padded(to: 65_536 - 102)) { $0.recordSize = 65_536 },
    ]

    static let cut: [HostileBody] = [
        Self("E20: nothing", "short_header") { _ in [] },
        changed("E21: 20 octets", "short_header") { $0.removeLast($0.count - 20) },
        changed("E22: a header that announces a key, and no key", "short_header") { $0.removeLast($0.count - 21) },
        changed("E23: a key that is one octet short", "short_header") { $0.removeLast($0.count - 85) },
        changed("E24: a header without a record", "short_record") { $0.removeLast($0.count - header) },
        forged("E25: a tag over nothing", "short_record", record: []),
        changed("E26: less than a tag", "short_record") { $0.removeLast($0.count - header - 15) },
        changed("E63: the last octet is missing", "auth_tag") { $0.removeLast() },
        changed("E64: one octet more", "auth_tag") { $0.append(0) },
        // A first record that is full, with the delimiter of one that another follows.
        forged("E82: the second of two records is missing", "bad_delimiter", record: text + [1]) {
            $0.recordSize = UInt32(good.count + 16)
        },
    ]

    static let sizes: [HostileBody] = [
        forged("E30: a record size of 0", "rs_too_small") { $0.recordSize = 0 },
        forged("E31: a record size of 1", "rs_too_small") { $0.recordSize = 1 },
        forged("E32: a record size of 16", "rs_too_small") { $0.recordSize = 16 },
        forged("E33: a record size of 17", "rs_too_small") { $0.recordSize = 17 },
        forged("E34: a record size of 18 and more than a record", "multiple_records") { $0.recordSize = 18 },
        Self("E80: two good records", "multiple_records") { try twoRecords(to: $0, delimiters: 1, 2) },
        Self("E81: a record behind the last one", "multiple_records") { try twoRecords(to: $0, delimiters: 2, 2) },
    ]

    /// The second record is of another key, which nobody gets as far as to notice.
    private static func twoRecords(
        to subscription: TestSubscription,
        delimiters first: UInt8,
        _ second: UInt8
    ) throws -> [UInt8] {
        var forged = ForgedBody(to: subscription)
        forged.recordSize = UInt32(good.count + 16)
        let one = try forged.sealing(text + [first])
        return try one + forged.sealing(text + [second]).dropFirst(header)
    }
}

extension HostileBody {
    static let keys: [HostileBody] = [
        changed("E40: no key", "keyid_length") { $0.replaceSubrange(20..<header, with: [0]) },
        changed("E41: a key of 64 octets", "keyid_length") { $0.replaceSubrange(20..<22, with: [64]) },
        changed("E42: a key of 66 octets", "keyid_length") { $0.replaceSubrange(20..<21, with: [66, 4]) },
        changed("E43: a key that is said to be longer", "keyid_length") { $0[20] = 255 },
        changed("E44: a compressed key", "keyid_length") {
            $0.replaceSubrange(20..<header, with: [33, 2 | $0[85] & 1] + $0[22..<54])
        },
        changed("E45: a hybrid key", "keyid_not_uncompressed") { $0[21] = 6 | $0[85] & 1 },
        changed("E46: a key beside the curve", "point_invalid") { $0[85] ^= 1 },
        changed("E47: a coordinate that is the prime", "point_invalid") { $0.replaceSubrange(22..<54, with: prime) },
        changed("E48: the point (0, 0)", "point_invalid") { $0.replaceSubrange(22..<header, with: zeros(64)) },
        changed("E49: infinity in 65 octets", "keyid_not_uncompressed") {
            $0.replaceSubrange(21..<header, with: zeros(65))
        },
        changed("E50: infinity in one octet", "keyid_length") { $0.replaceSubrange(20..<header, with: [1, 0]) },
        Self("E51: the receiver's own key", "auth_tag") { subscription in
            var forged = ForgedBody(to: subscription)
            forged.shownKey = forged.p256dh
            return try forged.sealing(good)
        },
        changed("E52: a key that begins with 5", "keyid_not_uncompressed") { $0[21] = 5 },
    ]

    static let damaged: [HostileBody] = [
        changed("E60: a bit of the tag", "auth_tag") { $0[$0.count - 1] ^= 1 },
        changed("E61: a bit of the ciphertext", "auth_tag") { $0[header] ^= 0x80 },
        changed("E62: a bit of the salt", "auth_tag") { $0[0] ^= 1 },
        forged("E65: another auth secret", "auth_tag") { $0.auth = zeros(16) },
        forged("E66: the keys the other way round", "auth_tag") { $0.swapsKeys = true },
        forged("E68: sealed as the second record", "auth_tag") { $0.sequence = 1 },
        forged("E70: the delimiter of a record that is not the last", "bad_delimiter", record: text + [1]),
        forged("E71: a delimiter of 3", "bad_delimiter", record: text + [3]),
        forged("E72: no delimiter", "bad_delimiter", record: text),
        forged("E73: nothing but zeros", "no_delimiter", record: zeros(64)),
        forged("E74: padding that is not zeros", "bad_delimiter", record: good + [0, 0, 0, 7]),
        Self("E90: aesgcm that is called aes128gcm", "keyid_length") { subscription in
            // Where the length of a key would be is ciphertext, which may happen to be 65.
            var body = try LegacyBody(text, to: subscription).body
            body.replaceSubrange(16..<21, with: [0, 0, 16, 0, 66])
            return body
        },
    ]

    private static let prime: [UInt8] =
        [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1] + zeros(12) + [UInt8](repeating: 0xff, count: 12)

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}

extension [UInt8] {
    fileprivate func padded(to count: Int) -> [UInt8] { self + [UInt8](repeating: 0, count: count - self.count) }
}

@Suite("POST /wp/{id}: bodies out of the ordinary") struct HostileBodyTests {
    private let fields = [(name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: "60")]

    @Test(
        arguments: HostileBody.opened + HostileBody.cut + HostileBody.sizes + HostileBody.keys + HostileBody.damaged
    )
    func `a body arrives, or is answered 400 with its word, uncounted and unknown to Apple`(
        body: HostileBody
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let octets = try body.make(subscription)
        let response = await relay.request("POST", subscription.path, fields: fields, body: octets)
        let isAccepted = body.word == nil
        #expect(response.status == (isAccepted ? 201 : 400))
        #expect(response.errorWord == body.word)
        #expect(try await relay.apple.requests(for: subscription.deviceToken).count == (isAccepted ? 1 : 0))
        #expect(try await relay.row(of: subscription)?.badgeCount == (isAccepted ? 1 : 0))
    }

    @Test(arguments: BodyVector.published.cases)
    func `a published body is answered as it says`(vector: BodyVector) async throws {
        let relay = try await TestRelay()
        let token = freshToken()
        let id = SubscriptionID(hashing: Array(token.utf8))
        _ = try await relay.store.register(BodyVector.published.receiver.registration(id, token, relay.clock.now))
        let response = await relay.request("POST", "/wp/\(token)", fields: fields, body: vector.body.octets)
        #expect(response.status == (vector.isMessage ? 201 : 400))
        #expect(response.errorWord == (vector.isMessage ? nil : vector.reason ?? "malformed_message"))
        #expect(try await relay.apple.requests(for: token).count == (vector.isMessage ? 1 : 0))
        #expect(try await relay.store.subscription(id)?.badgeCount == (vector.isMessage ? 1 : 0))
    }
}

/// A case of `aes128gcm_bodies.json`.
struct BodyVector: Decodable, Sendable, CustomTestStringConvertible {
    let id: String
    let desc: String
    let body: Octets
    let plaintext: Octets?
    let reason: String?

    var testDescription: String { "\(id): \(desc)" }
    var isMessage: Bool { plaintext?.octets.first == UInt8(ascii: "{") }

    struct File: Decodable, Sendable {
        let receiver: Receiver
        let cases: [BodyVector]
    }

    struct Receiver: Decodable, Sendable {
        let ua_private: Octets
        let auth_secret: Octets

        func registration(_ id: SubscriptionID, _ deviceToken: String, _ now: Int64) -> Registration {
            Registration(
                id: id,
                deviceToken: deviceToken,
                account: "",
                label: "",
                privateKey: ua_private.octets,
                authSecret: auth_secret.octets,
                createdAt: now
            )
        }
    }

    static let published: File = {
        do { return try Vectors.load("aes128gcm_bodies") } catch { fatalError("aes128gcm_bodies.json: \(error)") }
    }()
}
