import Crypto
import Testing

/// `unhex("00ff")` is `[0x00, 0xff]`.
private func unhex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

@Suite("FIPS 180-4: SHA-256") struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `a digest is the published one`(text: String, digest: String) {
        #expect(Hex.encode(SHA256.digest(Array(text.utf8))) == digest)
    }

    @Test func `digests are equal only octet for octet`() {
        let digest = SHA256.digest([1])
        #expect(SHA256.areEqual(digest, SHA256.digest([1])))
        #expect(!SHA256.areEqual(digest, SHA256.digest([2])))
        #expect(!SHA256.areEqual(digest, Array(digest.dropLast())))
        #expect(SHA256.areEqual([], []))
    }
}

@Suite("RFC 5869: HKDF with SHA-256") struct HKDFTests {
    @Test func `test case 1 gives the published key`() throws {
        let key = try HKDF.extract(
            salt: unhex("000102030405060708090a0b0c"),
            inputKey: [UInt8](repeating: 0x0b, count: 22)
        )
        #expect(key == unhex("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"))
        let output = try HKDF.expand(key, info: unhex("f0f1f2f3f4f5f6f7f8f9"), count: 32)
        #expect(output == unhex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"))
    }

    @Test func `test case 3 has an empty salt and an empty info`() throws {
        let key = try HKDF.extract(salt: [], inputKey: [UInt8](repeating: 0x0b, count: 22))
        #expect(key == unhex("19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04"))
        #expect(try HKDF.expand(key, info: [], count: 16) == unhex("8da4e775a563c18f715f802a063c5a31"))
    }
}

@Suite struct AESGCMTests {
    let key = unhex("feffe9928665731c6d6a8f9467308308")
    let nonce = unhex("cafebabefacedbaddecaf888")
    // Test case 3 of the specification of GCM (McGrew and Viega).
    let plaintext = unhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
            + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
    )
    let sealed = unhex(
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
            + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"
            + "4d5c2af327cd64a62cf35abd2ba6fab4"
    )

    @Test func `sealing gives the published octets and opening gives them back`() throws {
        #expect(try AESGCM.seal(plaintext, key: key, nonce: nonce) == sealed)
        #expect(try AESGCM.open(sealed[...], key: key, nonce: nonce) == plaintext)
    }

    @Test func `a key of 32 octets and a context give the octets of test case 16, and no other context opens them`()
        throws
    {
        let longKey = key + key
        let context = unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let sealed = unhex(
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
                + "76fc6ece0f4e1768cddf8853bb2d551b"
        )
        let plaintext = Array(plaintext.prefix(60))
        #expect(try AESGCM.seal(plaintext, key: longKey, nonce: nonce, context: context) == sealed)
        #expect(try AESGCM.open(sealed[...], key: longKey, nonce: nonce, context: context) == plaintext)
        for other in [[], context.dropLast(), context + [0]] as [[UInt8]] {
            #expect(throws: CryptoError.authentication) {
                try AESGCM.open(sealed[...], key: longKey, nonce: nonce, context: other)
            }
        }
    }

    @Test func `an empty plaintext is a tag alone`() throws {
        let tag = try AESGCM.seal([], key: key, nonce: nonce)
        #expect(tag.count == 16)
        #expect(try AESGCM.open(tag[...], key: key, nonce: nonce) == [])
    }

    @Test(arguments: [0, 40, 63, 64, 79])
    func `one changed bit is not authentic`(position: Int) {
        var changed = sealed
        changed[position] ^= 0x80
        #expect(throws: CryptoError.authentication) { try AESGCM.open(changed[...], key: key, nonce: nonce) }
    }

    @Test(arguments: [0, 1, 15, 16, 79])
    func `a text that was cut is not authentic`(length: Int) {
        #expect(throws: CryptoError.authentication) {
            try AESGCM.open(sealed.prefix(length), key: key, nonce: nonce)
        }
    }

    @Test func `a key or nonce of another length never reaches OpenSSL`() {
        #expect(throws: CryptoError.library("EVP_CIPHER_fetch")) {
            try AESGCM.seal([1], key: Array(key.dropLast()), nonce: nonce)
        }
        #expect(throws: CryptoError.library("EVP_CipherInit_ex")) {
            try AESGCM.seal([1], key: key, nonce: Array(nonce.dropLast()))
        }
    }
}

@Suite("RFC 4648, section 5: base64url") struct Base64URLTests {
    @Test(
        arguments: [
            ([], ""), ([0x66], "Zg"), ([0x66, 0x6f], "Zm8"), ([0x66, 0x6f, 0x6f], "Zm9v"),
            ([0x66, 0x6f, 0x6f, 0x62], "Zm9vYg"), ([0xfb, 0xff, 0xbf], "-_-_"), ([0xff], "_w"),
        ] as [([UInt8], String)]
    )
    func `octets and text stand for each other`(octets: [UInt8], text: String) {
        #expect(Base64URL.encode(octets) == text)
        #expect(Base64URL.decode(text.utf8) == octets)
    }

    @Test(arguments: ["Zg==", "Zh", "Z", "Zm9vY", "+/+/", "Zm 8", "Zm8\n", "\u{ff21}A", "Zm9v\0"])
    func `a second spelling is refused`(text: String) {
        #expect(Base64URL.decode(text.utf8) == nil)
    }

    @Test func `every length survives the way there and back`() throws {
        for count in 0...300 {
            let octets = try Random.octets(count)
            #expect(Base64URL.decode(Base64URL.encode(octets).utf8) == octets)
        }
    }
}

@Suite struct RandomTests {
    @Test func `ids never repeat`() throws {
        let ids = try Set((0..<100_000).map { _ in try Random.octets(16) })
        #expect(ids.count == 100_000)
    }

    @Test func `a UUID is of version 4, in lower case, and another one each time`() throws {
        let first = try Random.uuid()
        let pattern = try Regex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
        for _ in 0..<100 { #expect(try Random.uuid().wholeMatch(of: pattern) != nil) }
        #expect(try first != Random.uuid())
    }
}
