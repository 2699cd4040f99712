import Crypto
import Testing
import WebPush

@Suite struct SealedMessageTests {
    @Test(arguments: [0, 1, 17, 2_819, 65_000])
    func `what the relay seals for a subscription is a message of one record that it opens`(length: Int) throws {
        let receiver = try ReceiverKeys()
        let plaintext = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
        let body = try EncryptedMessage.seal(plaintext, for: receiver)
        #expect(try receiver.open(EncryptedMessage(parsing: body)) == plaintext)
        #expect(throws: MessageError.authenticationTag) {
            try ReceiverKeys().open(EncryptedMessage(parsing: body))
        }
    }

    @Test func `two seals of one text have nothing in common but their shape`() throws {
        let receiver = try ReceiverKeys()
        let bodies = try (0..<2).map { _ in try EncryptedMessage.seal([7], for: receiver) }
        #expect(bodies[0].count == bodies[1].count)
        #expect(bodies[0].prefix(16) != bodies[1].prefix(16))
        #expect(bodies[0].suffix(18) != bodies[1].suffix(18))
    }
}
