import Crypto
import Foundation
import RelayTesting
import Testing

@Suite struct P256PrivateKeyTests {
    let order: [UInt8] = [
        0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ]

    @Test func `a fresh key has 32 octets of scalar and an uncompressed point of 65`() throws {
        let key = try P256PrivateKey()
        #expect(key.scalar.count == 32)
        #expect(key.publicPoint.count == 65)
        #expect(key.publicPoint.first == 0x04)
    }

    @Test func `two fresh keys differ`() throws {
        #expect(try P256PrivateKey().scalar != P256PrivateKey().scalar)
    }

    @Test func `a stored scalar gives back the same public point`() throws {
        let key = try P256PrivateKey()
        #expect(try P256PrivateKey(scalar: key.scalar).publicPoint == key.publicPoint)
        let vector = RFCVectors.published.rfc8291
        #expect(
            try P256PrivateKey(scalar: vector.receiverPrivate.octets).publicPoint == vector.receiverPublic.octets
        )
    }

    @Test func `both sides arrive at the shared secret of RFC 8291 Appendix A`() throws {
        let vector = RFCVectors.published.rfc8291
        let receiver = try P256PrivateKey(scalar: vector.receiverPrivate.octets)
        let sender = try P256PrivateKey(scalar: vector.senderPrivate.octets)
        #expect(try receiver.sharedSecret(with: sender.publicPoint) == vector.ecdhSecret.octets)
        #expect(try sender.sharedSecret(with: receiver.publicPoint) == vector.ecdhSecret.octets)
    }

    @Test func `a scalar of zero, of the order or of another length is refused`() {
        let zero = [UInt8](repeating: 0, count: 32)
        for scalar in [zero, order, [], Array(order.dropLast()), order + [0], [UInt8](repeating: 0xff, count: 32)] {
            #expect(throws: CryptoError.notAP256PrivateKey) { try P256PrivateKey(scalar: scalar) }
        }
    }

    @Test func `a stored point is taken as it is, and needs a scalar all the same`() throws {
        let key = try P256PrivateKey()
        #expect(try P256PrivateKey(scalar: key.scalar, publicPoint: key.publicPoint).publicPoint == key.publicPoint)
        #expect(throws: CryptoError.notAPoint) {
            try P256PrivateKey(scalar: key.scalar, publicPoint: key.publicPoint.dropLast())
        }
        #expect(throws: CryptoError.notAP256PrivateKey) {
            try P256PrivateKey(scalar: order, publicPoint: key.publicPoint)
        }
    }

    @Test func `the largest scalar below the order is a key`() throws {
        var largest = order
        largest[31] -= 1
        #expect(try P256PrivateKey(scalar: largest).publicPoint.count == 65)
    }

    @Test(arguments: ["compressed", "hybrid", "infinity", "off the curve", "short", "long", "empty"])
    func `a peer point that is not an uncompressed point of the curve is refused`(form: String) throws {
        let point = try P256PrivateKey().publicPoint
        var offCurve = point
        offCurve[64] ^= 1
        let isOdd = point[64] & 1
        let forms: [String: [UInt8]] = [
            "compressed": [2 + isOdd] + point[1...32],
            "hybrid": [6 + isOdd] + point[1...],
            "infinity": [0],
            "off the curve": offCurve,
            "short": point.dropLast(),
            "long": point + [0],
            "empty": [],
        ]
        let peer = try #require(forms[form])
        #expect(throws: CryptoError.notAPoint) { try P256PrivateKey().sharedSecret(with: peer) }
    }

    @Test func `a signature has 64 octets however small r and s are`() throws {
        let key = try P256PrivateKey()
        // One integer in 256 is shorter than 32 octets: among 1,000 signatures the padding is used many times.
        let lengths = try Set((0..<1_000).map { try key.signature(of: [UInt8($0 & 0xff), UInt8($0 >> 8)]).count })
        #expect(lengths == [64])
    }

    @Test func `a PEM key is read in both of its forms`() throws {
        for file in ["p256-pkcs8", "p256-sec1"] {
            #expect(try P256PrivateKey(pem: pem(file)).scalar.count == 32)
        }
        #expect(try P256PrivateKey(pem: pem("p256-pkcs8")).scalar == P256PrivateKey(pem: pem("p256-sec1")).scalar)
    }

    @Test(arguments: ["p384", "rsa", "p256-encrypted", "p256-public", "certificate"])
    func `a PEM file that is not a plain P-256 private key is refused`(file: String) throws {
        let octets = try pem(file)
        #expect(throws: CryptoError.notAP256PrivateKey) { try P256PrivateKey(pem: octets) }
    }

    @Test(arguments: ["", "-----BEGIN PRIVATE KEY-----\n", "no key\n", "\0"])
    func `a file without a key is refused`(text: String) {
        #expect(throws: CryptoError.notAP256PrivateKey) { try P256PrivateKey(pem: Array(text.utf8)) }
    }

    private func pem(_ name: String) throws -> [UInt8] {
        let file = Vectors.repository.appending(path: "Tests/Vectors/keys/\(name).pem")
        return try Array(Data(contentsOf: file))
    }
}
