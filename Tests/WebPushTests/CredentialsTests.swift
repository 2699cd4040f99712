import Crypto
import RelayTesting
import Testing

@testable import WebPush

@Suite("Authorization that is malformed") struct CredentialsTests {
    private static let now: Int64 = 1_800_000_000
    private static let origin = "https://push.example.org"
    private let verifier = SenderVerifier(origin: origin) { now }
    private let signer: VAPIDSigner
    private let token: String

    init() throws {
        signer = try VAPIDSigner()
        token = try signer.token(audience: Self.origin, expiration: Self.now + 60)
    }

    private func isVerified(_ authorization: [UInt8], _ cryptoKey: [[UInt8]] = []) -> Bool {
        do throws(SenderError) {
            try verifier.verify(authorization: authorization, cryptoKey: cryptoKey, key: signer.key.publicPoint)
            return true
        } catch {
            return false
        }
    }

    @Test(
        arguments: [
            "", " ", "vapid", "vapid ", "vapid  ", " vapid t={t}, k={k}", "vapid t", "vapid t=", "vapid t={t}",
            "vapid k={k}",
            "vapid {t}", "vapid {t} {k}", "vapid =", "vapid ={t}, ={k}", "vapid t, k", "vapid t=, k=",
            "vapid t={t}, k=",
            "vapid t=, k={k}", "vapid ,;,;", "vapid t={t}, k={k}, x", "vapid t={t}, k={k}, =",
            "vapid t={t}, k={k}, k={k}",
            "vapid t={t}, t={t}, k={k}", "vapid t {t}, k {k}", "vapid:t={t}, k={k}", "vapid,t={t},k={k}",
            "vapid\tt={t}, k={k}", "t={t}, k={k}",
            "WebPush", "WebPush ", "WebPush {t}", "WebPush t={t}, k={k}", "Bearer {t}", "Basic dDpr",
            "Digest t={t}, k={k}",
            "vapid t=., k={k}", "vapid t=.., k={k}", "vapid t=..., k={k}", "vapid t=a.b.c, k={k}",
            "vapid t={t}., k={k}",
            "vapid t=.{t}, k={k}", "vapid t={t}, k={k}{k}", "vapid t=\"{t}, k={k}", "vapid t={t}, k={k}===",
            "ＶＡＰＩＤ t={t}, k={k}",
            "vapid t={t}\u{0}, k={k}", "vapid t={t}, k=\u{0}{k}", "vapid vapid t={t}, k={k}",
        ]
    )
    func `nothing of it verifies or ends the program`(form: String) {
        #expect(isVerified(Array(signer.vapid(token).utf8)))
        let text = form.replacing("{t}", with: token).replacing("{k}", with: signer.publicKey)
        #expect(!isVerified(Array(text.utf8)))
    }

    @Test(
        arguments: [
            [], [""], ["p256ecdsa"], ["p256ecdsa="], ["={k}"], ["{k}"], ["dh=AQ"], ["dh;p256ecdsa={k}"],
            ["p256ecdsa={k};p256ecdsa={k}"], ["p256ecdsa={k}", "p256ecdsa={k}"], ["p256ecdsa={k}", "x"], [";;=;;"],
        ]
    )
    func `a Crypto-Key without "=", or without one key, shows none`(fields: [String]) {
        let cryptoKey = fields.map { Array($0.replacing("{k}", with: signer.publicKey).utf8) }
        #expect(!isVerified(Array(signer.webPush(token).utf8), cryptoKey))
    }

    @Test(arguments: [[0xff], [0x20], [0x00], [0x2c], [0x3d], [0x3b], [0x2e], [0x22]] as [[UInt8]])
    func `an octet 10,000 times over is no token and no key`(octets: [UInt8]) {
        let many = [UInt8](repeating: octets[0], count: 10_000)
        #expect(!isVerified(many))
        #expect(!isVerified(Array("vapid ".utf8) + many))
        #expect(!isVerified(Array("vapid t=".utf8) + many + Array(", k=\(signer.publicKey)".utf8)))
        #expect(!isVerified(Array("WebPush ".utf8) + many, [many]))
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a thousand mutations of a valid field verify only where token and key stand in them unchanged`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        let valid = Array(signer.vapid(token).utf8)
        #expect(isVerified(valid))
        for _ in 0..<1_000 {
            var mutated = valid
            for _ in 0..<Int.random(in: 1...3, using: &generator) { mutate(&mutated, using: &generator) }
            guard isVerified(mutated) else { continue }
            // Upper case, a space or a further comma beside them changes nothing of what is said.
            #expect(mutated.contains(Array(token.utf8)) && mutated.contains(Array(signer.publicKey.utf8)))
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a thousand mutations of a token never verify`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1_000 {
            var mutated = Array(token.utf8)
            mutate(&mutated, using: &generator)
            let field = Array("vapid t=".utf8) + mutated + Array(", k=\(signer.publicKey)".utf8)
            #expect(!isVerified(field) || mutated.contains(Array(token.utf8)))
        }
    }

    /// Changes, inserts, removes, repeats or exchanges octets.
    private func mutate(_ octets: inout [UInt8], using generator: inout SeededGenerator) {
        guard octets.count > 1 else { return }
        let index = Int.random(in: 0..<octets.count, using: &generator)
        let other = Int.random(in: 0..<octets.count, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: octets[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: octets[index] = UInt8.random(in: 0...255, using: &generator)
        case 2: octets.insert(UInt8.random(in: 0...255, using: &generator), at: index)
        case 3: octets.remove(at: index)
        case 4: octets.swapAt(index, other)
        default: octets.insert(contentsOf: octets[min(index, other)...max(index, other)], at: index)
        }
    }
}
