import Crypto
import RelayTesting
import Testing

@testable import WebPush

/// What http_ece, which shares no code with this project, made of four plaintexts with fixed keys.
private struct LegacyVectors: Decodable {
    let ua_private: Octets
    let ua_public: Octets
    let auth_secret: Octets
    let as_private: Octets
    let as_public: Octets
    let salt: Octets
    let cases: [Case]

    struct Case: Decodable, Sendable {
        let plaintext: Octets
        let body: Octets
    }

    static let all: LegacyVectors = {
        do { return try Vectors.load("aesgcm_http_ece") } catch { fatalError("aesgcm_http_ece.json: \(error)") }
    }()
}

@Suite("draft-ietf-webpush-encryption-04: the receiver of aesgcm") struct LegacyMessageTests {
    private let keys: ReceiverKeys
    private let sender: LegacyWebPushSender

    init() throws {
        keys = try ReceiverKeys()
        sender = LegacyWebPushSender(p256dh: keys.privateKey.publicPoint, auth: keys.authSecret)
    }

    private func parse(_ encryption: [String], _ cryptoKey: [String], _ body: [UInt8]) throws -> LegacyMessage {
        try LegacyMessage(
            encryption: encryption.map { Array($0.utf8) },
            cryptoKey: cryptoKey.map { Array($0.utf8) },
            body: body
        )
    }

    private func open(_ message: LegacyWebPushSender.Message, encryption: String = "salt={s}") throws -> [UInt8] {
        let encryption = encryption.replacing("{s}", with: message.salt)
        return try keys.open(parse([encryption], [message.cryptoKey], message.body))
    }

    @Test(arguments: LegacyVectors.all.cases.indices) func `what http_ece made opens to its plaintext`(index: Int)
        throws
    {
        let all = LegacyVectors.all
        let keys = try ReceiverKeys(scalar: all.ua_private.octets, authSecret: all.auth_secret.octets)
        #expect(keys.privateKey.publicPoint == all.ua_public.octets)
        let message = try parse(
            ["salt=\(Base64URL.encode(all.salt.octets))"],
            ["dh=\(Base64URL.encode(all.as_public.octets))"],
            all.cases[index].body.octets
        )
        #expect(try keys.open(message) == all.cases[index].plaintext.octets)
    }

    @Test(arguments: LegacyVectors.all.cases.indices)
    func `the sender role writes what http_ece wrote, octet for octet`(index: Int) throws {
        let all = LegacyVectors.all
        var sender = LegacyWebPushSender(p256dh: all.ua_public.octets, auth: all.auth_secret.octets)
        sender.key = try P256PrivateKey(scalar: all.as_private.octets)
        sender.salt = all.salt.octets
        let message = try sender.encrypt(all.cases[index].plaintext.octets)
        #expect(message.body == all.cases[index].body.octets)
        #expect(message.dh == Base64URL.encode(all.as_public.octets))
    }

    @Test(arguments: [0, 1, 2, 15, 16, 17, 255, 256, 2_000, 4_093], [0, 1, 16, 255, 256, 2_820, 4_093])
    func `what the sender encrypts the receiver opens while it fits one record`(length: Int, padding: Int) throws {
        var sender = sender
        sender.padding = padding
        let plaintext = try Random.octets(length)
        let message = try sender.encrypt(plaintext)
        #expect(message.body.count == 2 + padding + length + 16)
        if 2 + padding + length < 4_096 {
            #expect(try open(message) == plaintext)
        } else {
            #expect(throws: MessageError.multipleRecords) { try open(message) }
            #expect(try open(message, encryption: "salt={s};rs=10000") == plaintext)
        }
    }

    @Test func `a plaintext that begins and ends with zeros keeps them`() throws {
        var sender = sender
        for padding in [0, 3] {
            sender.padding = padding
            #expect(try open(sender.encrypt([0, 0, 1, 0, 0])) == [0, 0, 1, 0, 0])
            #expect(try open(sender.encrypt([0])) == [0])
        }
    }

    @Test(
        arguments: [
            ["salt={s}"], [#"salt="{s}""#], ["salt={s}=="], ["SALT={s}"], ["salt={s};rs=4096"], ["rs=4096;salt={s}"],
            [#"keyid="p256dh"; salt="{s}""#], ["keyid=p256dh;salt={s}"], ["keyid=x, salt={s}, rs=18"],
            [" salt = {s} ;"],
            ["rs=100", "salt={s}"], ["salt={s};rs=0004096"], ["salt={s};rs=9999999999"], [#"salt={s};rs="4096""#],
        ],
        [
            ["dh={d}"], [#"dh="{d}""#], ["dh={d}="], ["p256ecdsa=AQ;dh={d}"], ["DH={d};p256ecdsa=AQ"],
            ["p256ecdsa=AQ", "dh={d}"],
        ]
    )
    func `the fields are read in every order and spelling`(encryption: [String], cryptoKey: [String]) throws {
        let message = try sender.encrypt([1, 2, 3])
        let parsed = try parse(
            encryption.map { $0.replacing("{s}", with: message.salt) },
            cryptoKey.map { $0.replacing("{d}", with: message.dh) },
            message.body
        )
        #expect(try keys.open(parsed) == [1, 2, 3])
    }

    @Test(
        arguments: [
            [], [""], ["salt"], ["salt="], ["={s}"], ["{s}"], ["salt={s};x"], ["salt={s}", "salt={s}"],
            ["salt={s};salt={s}"],
            ["salt={s}A"], ["salt=AAAA"], ["salt=AAAAAAAAAAAAAAAAAAAAA"], ["salt=AAAAAAAAAAAAAAAAAAAAAB"],
            ["salt=AAAAAAAAAAAAAAAAAAAAAAA"], ["salt=++++++++++++++++++++AA"], ["keyid=p256dh"], ["salt={s};rs="],
            ["salt={s};rs=0"], ["salt={s};rs=1"], ["salt={s};rs=2"], ["salt={s};rs=-1"], ["salt={s};rs=+4096"],
            ["salt={s};rs=4k"],
            ["salt={s};rs=0x1000"], ["salt={s};rs=4096.0"], ["salt={s};rs=99999999999"], ["salt={s};rs=4096;rs=4096"],
            ["salt={s};rs=99999999999999999999999999"], ["salt={s};rs=٤٠٩٦"],
        ]
    )
    func `an Encryption without one salt of 16 octets and a record size above 2 is refused`(fields: [String]) throws {
        let message = try sender.encrypt([1])
        let fields = fields.map { $0.replacing("{s}", with: message.salt) }
        #expect(throws: LegacyMessage.FieldError.encryption) { try parse(fields, [message.cryptoKey], message.body) }
    }

    @Test(
        arguments: [
            [], [""], ["dh"], ["dh="], ["={d}"], ["{d}"], ["dh={d};p256ecdsa"], ["dh={d}", "dh={d}"], ["dh={d},dh={d}"],
            ["dh={d}A"],
            ["p256ecdsa={d}"], ["keyid=p256dh"], ["dh=BA"], ["aesgcm=AQ"], ["dh=AAAA"],
        ]
    )
    func `a Crypto-Key without one dh of 65 octets is refused`(fields: [String]) throws {
        let message = try sender.encrypt([1])
        let fields = fields.map { $0.replacing("{d}", with: message.dh) }
        #expect(throws: LegacyMessage.FieldError.cryptoKey) { try parse([message.encryption], fields, message.body) }
    }

    @Test func `a dh in compressed or hybrid form is refused`() throws {
        let message = try sender.encrypt([1])
        let point = try #require(Base64URL.decode(message.dh.utf8))
        for form in [[2 + point[64] & 1] + point[1...32], [6 + point[64] & 1] + point[1...]] as [[UInt8]] {
            #expect(throws: LegacyMessage.FieldError.cryptoKey) {
                try parse([message.encryption], ["dh=\(Base64URL.encode(form))"], message.body)
            }
        }
    }

    @Test func `a dh that is not on the curve is refused when the message is opened`() throws {
        let message = try sender.encrypt([1])
        var point = try #require(Base64URL.decode(message.dh.utf8))
        point[64] ^= 1
        let parsed = try parse([message.encryption], ["dh=\(Base64URL.encode(point))"], message.body)
        #expect(throws: MessageError.pointInvalid) { try keys.open(parsed) }
    }

    @Test(arguments: [0, 1, 17]) func `a body that cannot hold a padding's length and a tag is too short`(length: Int)
        throws
    {
        let message = try sender.encrypt([1])
        let parsed = try parse([message.encryption], [message.cryptoKey], Array(message.body[..<length]))
        #expect(throws: MessageError.shortRecord) { try keys.open(parsed) }
    }

    @Test(arguments: [[0, 1], [0, 4, 0, 0, 0], [0xff, 0xff], [0xff, 0xff, 0, 0]] as [[UInt8]])
    func `a padding longer than the record is refused`(record: [UInt8]) throws {
        #expect(throws: MessageError.badPadding) { try open(sender.seal(record)) }
    }

    @Test(arguments: [[0, 1, 1, 0x7b], [0, 3, 0, 0, 1, 0x7b], [0, 3, 1, 0, 0]] as [[UInt8]])
    func `a padding that is not zeros is refused`(record: [UInt8]) throws {
        #expect(throws: MessageError.badPadding) { try open(sender.seal(record)) }
    }

    @Test func `a length of padding that wrapped around, as minishlink's of long messages does, is refused`() throws {
        // 3,052 - 3,060 as 16 bits without a sign, and no zeros at all.
        let plaintext = [UInt8](repeating: 0x61, count: 3_060)
        #expect(throws: MessageError.badPadding) { try open(sender.seal([0xff, 0xf8] + plaintext)) }
    }

    @Test(arguments: [(12, false), (13, false), (14, true), (4_096, true)])
    func `a record is shorter than its size, or another would have to follow`(size: Int, isAccepted: Bool) throws {
        let message = try sender.encrypt([UInt8](repeating: 0x61, count: 11))
        if isAccepted {
            #expect(try open(message, encryption: "salt={s};rs=\(size)").count == 11)
        } else {
            #expect(throws: MessageError.multipleRecords) { try open(message, encryption: "salt={s};rs=\(size)") }
        }
    }

    @Test func `a changed octet anywhere, another salt, key or secret breaks the tag`() throws {
        let message = try sender.encrypt(Array("hello".utf8))
        for index in message.body.indices {
            var body = message.body
            body[index] ^= 0x80
            let parsed = try parse([message.encryption], [message.cryptoKey], body)
            #expect(throws: MessageError.authenticationTag) { try keys.open(parsed) }
        }
        let other = try sender.encrypt([1])
        for (salt, dh) in [(other.encryption, message.cryptoKey), (message.encryption, other.cryptoKey)] {
            let parsed = try parse([salt], [dh], message.body)
            #expect(throws: MessageError.authenticationTag) { try keys.open(parsed) }
        }
        let parsed = try parse([message.encryption], [message.cryptoKey], message.body)
        let stranger = try ReceiverKeys(scalar: keys.privateKey.scalar, authSecret: Random.octets(16))
        #expect(throws: MessageError.authenticationTag) { try stranger.open(parsed) }
    }

    @Test(
        arguments: [
            ([], [], nil), ([], ["p256ecdsa=AQ"], nil), (["rs=4096"], [], nil), (["salt=AQ"], [], .encryption),
            ([], ["dh=AQ"], .cryptoKey), (["keyid=a;salt="], [], .encryption), (["x"], [], .encryption),
            ([], ["p256ecdsa=AQ;dh"], .cryptoKey),
        ] as [([String], [String], LegacyMessage.FieldError?)]
    )
    func `a field is in the way of the present coding where it names a salt or a key, or cannot be read`(
        encryption: [String],
        cryptoKey: [String],
        field: LegacyMessage.FieldError?
    ) {
        let conflict = LegacyMessage.conflict(
            encryption: encryption.map { Array($0.utf8) },
            cryptoKey: cryptoKey.map { Array($0.utf8) }
        )
        #expect(conflict == field)
    }
}
