import Crypto
import RelayTesting
import Testing

@Suite("ES256: the verifier") struct ES256Tests {
    private let message = Array("header.claims".utf8)
    private let key: P256PrivateKey
    private let signature: [UInt8]

    init() throws {
        key = try P256PrivateKey()
        signature = try key.signature(of: message)
    }

    private func verify(_ signature: [UInt8], of message: [UInt8]? = nil, by point: [UInt8]? = nil) throws -> Bool {
        try ES256.verify(signature, of: message ?? self.message, by: point ?? key.publicPoint)
    }

    @Test(arguments: [0, 1, 64, 10_000])
    func `what a private key signs its public key verifies`(length: Int) throws {
        let message = try Random.octets(length)
        #expect(try verify(key.signature(of: message), of: message))
    }

    @Test func `a thousand signatures are verified, however short their numbers are`() throws {
        for index in 0..<1_000 {
            let message = [UInt8(index & 0xff), UInt8(index >> 8)]
            #expect(try verify(key.signature(of: message), of: message))
        }
    }

    @Test func `another message is not signed by it`() throws {
        #expect(try !verify(signature, of: message + [0]))
        #expect(try !verify(signature, of: message.dropLast()))
        #expect(try !verify(signature, of: []))
    }

    @Test(arguments: 0..<64) func `a signature with one bit changed is none`(index: Int) throws {
        for bit in 0..<8 {
            var changed = signature
            changed[index] ^= 1 << bit
            #expect(try !verify(changed))
        }
    }

    @Test func `the signature of one key is none of another's`() throws {
        #expect(try !verify(signature, by: P256PrivateKey().publicPoint))
    }

    @Test(arguments: [0, 1, 32, 63, 65, 72, 128]) func `a signature is 64 octets`(length: Int) throws {
        let other = Array((signature + [UInt8](repeating: 0, count: 64))[..<length])
        #expect(try !verify(other))
    }

    @Test func `the DER form of a signature is none`() throws {
        // 70 octets: a sequence of two integers, where JOSE has the integers alone.
        #expect(try !verify([0x30, 68, 0x02, 32] + signature[..<32] + [0x02, 32] + signature[32...]))
    }

    /// n - s is as good as s (SEC 1, section 4.1.4 does not choose, and neither does RFC 7518).
    @Test func `both of the two values of s are accepted`() throws {
        let other = Array(signature[..<32]) + subtract(Array(signature[32...]), from: order)
        #expect(other != signature)
        #expect(try verify(other))
    }

    @Test(arguments: ["r is zero", "s is zero", "both are zero", "r is n", "s is n", "r is all ones", "s is all ones"])
    func `r and s are at least 1 and below the order of the curve`(form: String) throws {
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        let zero = [UInt8](repeating: 0, count: 32)
        let ones = [UInt8](repeating: 0xff, count: 32)
        let forms: [String: [UInt8]] = [
            "r is zero": zero + s,
            "s is zero": r + zero,
            "both are zero": zero + zero,
            "r is n": order + s,
            "s is n": r + order,
            "r is all ones": ones + s,
            "s is all ones": r + ones,
        ]
        let changed = try #require(forms[form])
        #expect(try !verify(changed))
    }

    @Test func `the example of RFC 8292, section 2.4 is verified`() throws {
        let example = RFCVectors.published.rfc8292
        let dot = try #require(example.t.lastIndex(of: "."))
        let signature = try #require(Base64URL.decode(example.t[example.t.index(after: dot)...].utf8))
        let point = try #require(Base64URL.decode(example.k.utf8))
        #expect(try verify(signature, of: Array(example.t[..<dot].utf8), by: point))
    }

    @Test func `a point on the curve is a public key`() throws {
        #expect(ES256.isPublicKey(key.publicPoint))
        #expect(ES256.isPublicKey(RFCVectors.published.rfc8291.receiverPublic.octets))
    }

    @Test(
        arguments: [
            "empty", "short", "long", "compressed", "hybrid", "infinity", "off the curve", "zeros", "not reduced",
            "x and y alone",
        ]
    )
    func `anything else is no public key, and nothing is verified by it`(form: String) throws {
        let point = key.publicPoint
        var offCurve = point
        offCurve[64] ^= 1
        let parity = point[64] & 1
        let forms: [String: [UInt8]] = [
            "empty": [],
            "short": point.dropLast(),
            "long": point + [0],
            "compressed": [2 + parity] + point[1...32],
            "hybrid": [6 + parity] + point[1...],
            "infinity": [0],
            "off the curve": offCurve,
            "zeros": [0x04] + [UInt8](repeating: 0, count: 64),
            "not reduced": [0x04] + [UInt8](repeating: 0xff, count: 64),
            "x and y alone": Array(point[1...]),
        ]
        let none = try #require(forms[form])
        #expect(!ES256.isPublicKey(none))
        #expect(throws: CryptoError.notAPoint) { try verify(signature, by: none) }
    }
}

/// The order n of the curve (FIPS 186-4, D.1.2.3).
private let order: [UInt8] = [
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
]

/// The difference of two big-endian numbers of one length, the first being the smaller.
private func subtract(_ number: [UInt8], from whole: [UInt8]) -> [UInt8] {
    var difference = whole
    var borrow = 0
    for index in whole.indices.reversed() {
        let digit = Int(whole[index]) - Int(number[index]) - borrow
        borrow = digit < 0 ? 1 : 0
        difference[index] = UInt8(truncatingIfNeeded: digit)
    }
    return difference
}
