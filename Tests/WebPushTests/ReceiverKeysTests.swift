import Crypto
import RelayTesting
import Testing

@testable import WebPush

/// The hostile and the ordinary bodies of `aes128gcm_bodies.json`, all for one receiver.
private struct Bodies: Decodable {
    let receiver: Receiver
    let cases: [Case]

    struct Receiver: Decodable {
        let ua_private: Octets
        let auth_secret: Octets
    }

    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let id: String
        let desc: String
        let body: Octets
        let expect: String
        let reason: String?
        let plaintext: Octets?
        var testDescription: String { "\(id) \(desc)" }
    }

    static let all: Bodies = {
        do { return try Vectors.load("aes128gcm_bodies") } catch { fatalError("aes128gcm_bodies.json: \(error)") }
    }()

    func open(_ body: [UInt8]) throws(MessageError) -> [UInt8] {
        let keys: ReceiverKeys
        do throws(CryptoError) {
            keys = try ReceiverKeys(scalar: receiver.ua_private.octets, authSecret: receiver.auth_secret.octets)
        } catch {
            throw .cryptographyFailed
        }
        return try keys.open(EncryptedMessage(parsing: body))
    }
}

@Suite("RFC 8291: the receiver") struct ReceiverKeysTests {
    @Test(arguments: Bodies.all.cases.filter { $0.expect == "accept" })
    fileprivate func `a well-formed body opens to its plaintext`(body: Bodies.Case) throws {
        #expect(try Bodies.all.open(body.body.octets) == body.plaintext?.octets)
    }

    @Test(arguments: Bodies.all.cases.filter { $0.expect == "reject" })
    fileprivate func `a body that is not one message for this key is refused by its reason`(body: Bodies.Case) throws {
        let reason = try #require(body.reason.flatMap(MessageError.init(rawValue:)))
        #expect(throws: reason) { try Bodies.all.open(body.body.octets) }
    }

    @Test func `the vectors hold cases of both kinds`() {
        #expect(Set(Bodies.all.cases.map(\.expect)) == ["accept", "reject"])
        #expect(Bodies.all.cases.count == 34)
    }

    @Test func `Appendix A comes out byte for byte with every intermediate value`() throws {
        let vector = RFCVectors.published.rfc8291
        let message = try EncryptedMessage(parsing: vector.body.octets)
        #expect(message.salt == vector.salt.octets)
        #expect(message.senderKey == vector.senderPublic.octets)

        let keys = try ReceiverKeys(scalar: vector.receiverPrivate.octets, authSecret: vector.authSecret.octets)
        #expect(keys.privateKey.publicPoint == vector.receiverPublic.octets)
        let schedule = try keys.keySchedule(for: message)
        #expect(schedule.sharedSecret == vector.ecdhSecret.octets)
        #expect(schedule.combiningKey == vector.prkKey.octets)
        #expect(schedule.inputKey == vector.ikm.octets)
        #expect(schedule.pseudoRandomKey == vector.prk.octets)
        #expect(schedule.contentEncryptionKey == vector.cek.octets)
        #expect(schedule.nonce == vector.nonce.octets)
        #expect(try keys.open(message) == vector.plaintext.octets)
    }

    @Test func `the sender role writes the body of Appendix A byte for byte`() throws {
        let vector = RFCVectors.published.rfc8291
        var sender = WebPushSender(p256dh: vector.receiverPublic.octets, auth: vector.authSecret.octets)
        sender.key = try P256PrivateKey(scalar: vector.senderPrivate.octets)
        sender.salt = vector.salt.octets
        sender.recordSize = vector.recordSize
        let body = try sender.encrypt(vector.plaintext.octets)
        #expect(body == vector.body.octets)
        // The RFC's own header line says 145; the body it prints has 144 octets.
        #expect(body.count == 144)
    }

    @Test(arguments: [0, 1, 2, 15, 16, 17, 255, 256, 2_000, 4_078])
    func `what the sender encrypts the receiver opens, whatever its length and padding`(length: Int) throws {
        let keys = try ReceiverKeys()
        var sender = WebPushSender(p256dh: keys.privateKey.publicPoint, auth: keys.authSecret)
        sender.recordSize = 65_536
        for padding in [0, 1, 16, 2_820] {
            sender.padding = padding
            let plaintext = try Random.octets(length)
            #expect(try keys.open(EncryptedMessage(parsing: sender.encrypt(plaintext))) == plaintext)
        }
    }

    @Test func `a message for one subscription is closed to another`() throws {
        let one = try ReceiverKeys()
        let other = try ReceiverKeys()
        let sender = WebPushSender(p256dh: one.privateKey.publicPoint, auth: one.authSecret)
        let message = try EncryptedMessage(parsing: sender.encrypt([1, 2, 3]))
        #expect(throws: MessageError.authenticationTag) { try other.open(message) }
    }

    @Test func `the public key without the auth secret is not enough to forge a message`() throws {
        let keys = try ReceiverKeys()
        let forger = try WebPushSender(p256dh: keys.privateKey.publicPoint, auth: Random.octets(16))
        let message = try EncryptedMessage(parsing: forger.encrypt([1]))
        #expect(throws: MessageError.authenticationTag) { try keys.open(message) }
    }

    @Test(
        arguments: [(0x01, MessageError.badDelimiter), (0x03, .badDelimiter), (0x00, .noDelimiter)]
            as [(UInt8, MessageError)]
    )
    func `only 0x02 ends the one record`(delimiter: UInt8, reason: MessageError) throws {
        let keys = try ReceiverKeys()
        let sender = WebPushSender(p256dh: keys.privateKey.publicPoint, auth: keys.authSecret)
        // An empty plaintext leaves the delimiter as the only octet, so flipping its ciphertext octet would break the
        // tag: the record is sealed anew with the keys of this message.
        let message = try EncryptedMessage(parsing: sender.encrypt([]))
        let schedule = try keys.keySchedule(for: message)
        let record = try AESGCM.seal([delimiter], key: schedule.contentEncryptionKey, nonce: schedule.nonce)
        let body = message.salt + [0, 0, 16, 0, 65] + message.senderKey + record
        #expect(throws: reason) { try keys.open(EncryptedMessage(parsing: body)) }
    }
}

@Suite("RFC 8188, section 3: the examples") struct ContentCodingTests {
    @Test func `the derivation of section 3.1 gives the published key and nonce`() throws {
        let example = try #require(RFCVectors.published.rfc8188.first)
        let salt = Array(example.body.octets[..<16])
        let key = try HKDF.extract(salt: salt, inputKey: example.ikm.octets)
        #expect(key == example.prk?.octets)
        let contentKey = try HKDF.expand(key, info: Array("Content-Encoding: aes128gcm\0".utf8), count: 16)
        #expect(contentKey == example.cek?.octets)
        let nonce = try HKDF.expand(key, info: Array("Content-Encoding: nonce\0".utf8), count: 12)
        #expect(nonce == example.nonce?.octets)
        let padded = try AESGCM.open(example.body.octets[21...], key: contentKey, nonce: nonce)
        #expect(padded == example.plaintext.octets + [0x02])
    }

    @Test(arguments: RFCVectors.published.rfc8188.map(\.body.octets))
    func `a keyid that is no public key is refused as RFC 8291 asks`(body: [UInt8]) {
        #expect(throws: MessageError.keyIDLength) { try EncryptedMessage(parsing: body) }
    }
}

@Suite("RFC 8030, section 5.2: TTL") struct TimeToLiveTests {
    @Test(
        arguments: [
            ("0", 0), ("60", 60), ("0060", 60), ("2419200", 2_419_200), ("2592000", 2_592_000), ("2592001", 2_592_000),
            ("2147483648", 2_592_000), ("99999999999999999999999999", 2_592_000),
        ] as [(String, Int64)]
    )
    func `digits are seconds, and more than 30 days are 30 days`(text: String, seconds: Int64) {
        #expect(TimeToLive(parsing: Array(text.utf8))?.seconds == seconds)
    }

    @Test(arguments: ["", "-1", "+5", "1.5", "0x10", "1e3", "abc", " 60", "٥", "６"])
    func `anything but digits is refused`(text: String) {
        #expect(TimeToLive(parsing: Array(text.utf8)) == nil)
    }
}
