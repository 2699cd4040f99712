import Crypto
import RelayTesting
import Testing

@testable import WebPush

@Suite("RFC 8292: the published and the hostile fields") struct SenderVectorTests {
    private func verify(_ vector: SenderVectors.Case) throws(SenderError) {
        let all = SenderVectors.all
        let verifier = SenderVerifier(origin: all.origin) { all.now }
        let authorization = vector.authorization.map { Array($0.utf8) }
        try verifier.verify(authorization: authorization, cryptoKey: [], key: all.pinned_k.octets)
    }

    @Test(arguments: SenderVectors.expecting("accept")) func `a valid field is accepted`(vector: SenderVectors.Case) {
        #expect(throws: Never.self) { try verify(vector) }
    }

    @Test(arguments: SenderVectors.expecting("401"))
    func `a field that shows nothing, or not clearly what, counts as missing`(vector: SenderVectors.Case) {
        #expect(throws: SenderError.missing) { try verify(vector) }
    }

    @Test(arguments: SenderVectors.expecting("403"))
    func `a field that shows something wrong is refused for a reason`(vector: SenderVectors.Case) {
        #expect { try verify(vector) } throws: { error in
            (error as? SenderError).map { $0 != .missing } ?? false
        }
    }

    @Test(arguments: SenderVectors.expecting("accept-or-403"))
    func `a key in the alphabet of plain base64 is another key: RFC 8292 has base64url`(vector: SenderVectors.Case) {
        #expect(vector.id == "V75")
        #expect(throws: SenderError.otherKey) { try verify(vector) }
    }

    @Test(arguments: SenderVectors.expecting("431"))
    func `a field that is longer than any head never comes as far as the verifier`(vector: SenderVectors.Case) throws {
        // The listener answers heads of more than 16,384 octets with 431.
        #expect(try #require(vector.authorization).utf8.count > 16_384)
    }

    @Test func `every case has its test`() {
        let words: Set = ["accept", "401", "403", "accept-or-403", "431"]
        #expect(SenderVectors.all.cases.count == 34)
        #expect(Set(SenderVectors.all.cases.map(\.expect)) == words)
    }

    @Test(
        arguments: [(-86_461, .tooLongLived), (-86_400, nil), (-1, nil), (0, nil), (1, .expired)]
            as [(Int64, SenderError?)]
    )
    func `the example of section 2.4 is valid in the day before it expires`(
        moment: Int64,
        error: SenderError?
    ) throws {
        let example = RFCVectors.published.rfc8292
        let verifier = SenderVerifier(origin: example.aud) { example.exp + moment }
        let key = try #require(Base64URL.decode(example.k.utf8))
        let field = Array("vapid t=\(example.t), k=\(example.k)".utf8)
        do throws(SenderError) {
            try verifier.verify(authorization: field, cryptoKey: [], key: key)
            #expect(error == nil)
        } catch let thrown {
            #expect(thrown == error)
        }
    }
}

@Suite("RFC 8292: the verifier") struct SenderVerifierTests {
    private static let origin = "https://push.example.org"
    private let clock = ManualClock(now: 1_800_000_000)
    private let signer: VAPIDSigner

    init() throws { signer = try VAPIDSigner() }

    private func verifier(_ origin: String = origin) -> SenderVerifier {
        SenderVerifier(origin: origin) { [clock] in clock.now }
    }

    private func token(_ audience: String = origin, validFor seconds: Int64 = 43_200) throws -> String {
        try signer.token(audience: audience, expiration: clock.now + seconds)
    }

    private func verify(
        _ authorization: String,
        _ cryptoKey: [String] = [],
        by verifier: SenderVerifier? = nil,
        key: [UInt8]? = nil
    ) throws(SenderError) {
        try (verifier ?? self.verifier()).verify(
            authorization: Array(authorization.utf8),
            cryptoKey: cryptoKey.map { Array($0.utf8) },
            key: key ?? signer.key.publicPoint
        )
    }

    @Test(arguments: [-86_400, -1, 0, 1, 86_400, 86_460, 86_461, 172_800] as [Int64])
    func `a token is valid for 24 hours and a minute at most, and until the second of its end`(
        seconds: Int64
    ) throws {
        let field = try signer.vapid(token(validFor: seconds))
        switch seconds {
        case ..<0: #expect(throws: SenderError.expired) { try verify(field) }
        case ...86_460: #expect(throws: Never.self) { try verify(field) }
        default: #expect(throws: SenderError.tooLongLived) { try verify(field) }
        }
    }

    @Test(
        arguments: [
            ("1800000060.0", nil), ("1.8e9", nil), ("1800000000.5", nil), ("1800086460.9", nil),
            ("1799999999.9", .expired), ("1800086461.5", .tooLongLived), ("-0.5", .expired), ("1e300", .malformed),
            ("9223372036854775808", .malformed), ("-1e300", .malformed), ("1e400", .malformed), ("true", .malformed),
        ] as [(String, SenderError?)]
    )
    func `a moment may be written as any number that JSON has`(expiration: String, error: SenderError?) throws {
        let token = try signer.token(claims: #"{"aud":"\#(Self.origin)","exp":\#(expiration)}"#)
        if let error {
            #expect(throws: error) { try verify(signer.vapid(token)) }
        } else {
            #expect(throws: Never.self) { try verify(signer.vapid(token)) }
        }
    }

    @Test(arguments: [Int64.min, Int64.min + 1, -1, 0, Int64.max])
    func `a moment at the end of numbers is refused without a crash`(expiration: Int64) throws {
        let token = try signer.token(audience: Self.origin, expiration: expiration)
        #expect(throws: SenderError.self) { try verify(signer.vapid(token)) }
    }

    @Test(
        arguments: [
            ("https://push.example.org", "https://push.example.org", true),
            ("https://push.example.org", "https://push.example.org:443", true),
            ("https://push.example.org", "https://push.example.org:8443", false),
            ("https://push.example.org:8443", "https://push.example.org:8443", true),
            ("https://push.example.org:8443", "https://push.example.org", true),
            ("https://push.example.org:8443", "https://push.example.org:443", false),
            ("https://push.example.org:443", "https://push.example.org", true),
            ("https://Push.Example.org", "https://push.example.org", true),
            ("https://Push.Example.org:8443", "https://push.example.org:8443", true),
            ("https://push.example.org", "HTTPS://PUSH.example.org", true),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080", true),
            ("http://localhost", "http://localhost:80", true),
            ("http://localhost", "http://localhost:443", false),
            ("https://[2001:db8::1]", "https://[2001:db8::1]", true),
            ("https://[2001:db8::1]", "https://[2001:db8::1]:443", true),
            ("https://[2001:db8::1]:8443", "https://[2001:db8::1]", true),
            ("https://[2001:db8::1]", "https://[2001:db8:", false),
            ("https://push.example.org", "http://push.example.org", false),
            ("https://push.example.org", "https://push.example.org/", false),
            ("https://push.example.org", "push.example.org", false),
            ("https://push.example.org", "https://example.org", false),
            ("https://push.example.org", "https://push.example.org.", false),
            ("https://push.example.org", "https://a@push.example.org", false),
            ("https://push.example.org", "", false),
        ]
    )
    func `an audience is the relay's origin, with or without the port`(
        origin: String,
        audience: String,
        isAccepted: Bool
    ) throws {
        let field = try signer.vapid(token(audience))
        if isAccepted {
            #expect(throws: Never.self) { try verify(field, by: verifier(origin)) }
        } else {
            #expect(throws: SenderError.otherAudience) { try verify(field, by: verifier(origin)) }
        }
    }

    @Test(
        arguments: [
            (#"["https://push.example.org"]"#, nil),
            (#"["https://a.example","https://push.example.org"]"#, nil), (#"["https://a.example"]"#, .otherAudience),
            ("[]", .otherAudience), (#"["https://push.example.org",1]"#, .malformed), ("null", .malformed),
            ("{}", .malformed), ("true", .malformed),
        ] as [(String, SenderError?)]
    )
    func `of a list of audiences one has to be the relay`(audience: String, error: SenderError?) throws {
        let token = try signer.token(claims: #"{"aud":\#(audience),"exp":\#(clock.now + 60)}"#)
        if let error {
            #expect(throws: error) { try verify(signer.vapid(token)) }
        } else {
            #expect(throws: Never.self) { try verify(signer.vapid(token)) }
        }
    }

    @Test(arguments: [
        nil, "", "mailto:", "mailto:a@b.example", "https://pixels.example", "pixels.example", "localhost",
    ])
    func `the contact of a sender is its own affair`(subject: String?) throws {
        let token = try signer.token(audience: Self.origin, expiration: clock.now + 60, subject: subject)
        #expect(throws: Never.self) { try verify(signer.vapid(token)) }
    }

    @Test(
        arguments: [
            "vapid t={t}, k={k}", "vapid t={t},k={k}", "vapid k={k}, t={t}", "vapid k={k},t={t}", "VAPID T={t}, K={k}",
            "vapid  t={t} , k={k}",
            #"vapid t="{t}", k="{k}""#, "vapid t={t}, k={k}=", "vapid t={t}; k={k}", "vapid t={t}, k={k},",
        ]
    )
    func `the spellings of senders say the same`(form: String) throws {
        let field = try form.replacing("{t}", with: token()).replacing("{k}", with: signer.publicKey)
        #expect(throws: Never.self) { try verify(field) }
    }

    @Test(
        arguments: [
            ["p256ecdsa={k}"], ["dh=AQ;p256ecdsa={k}"], ["p256ecdsa={k};dh=AQ"], ["dh=AQ", "p256ecdsa={k}"],
            ["keyid=p256dh;dh=AQ,p256ecdsa={k}"], ["dh=AQ; P256ECDSA={k}="], [#"dh="AQ"; p256ecdsa="{k}""#],
        ]
    )
    func `the scheme of the drafts has its key in Crypto-Key`(fields: [String]) throws {
        let cryptoKey = fields.map { $0.replacing("{k}", with: signer.publicKey) }
        #expect(throws: Never.self) { try verify(signer.webPush(token()), cryptoKey) }
        #expect(throws: Never.self) { try verify("webpush \(token())", cryptoKey) }
    }

    @Test func `a signature by another key is refused, whichever key is named`() throws {
        let other = try VAPIDSigner()
        let token = try other.token(audience: Self.origin, expiration: clock.now + 60)
        #expect(throws: SenderError.otherKey) { try verify(other.vapid(token)) }
        #expect(throws: SenderError.badSignature) { try verify(signer.vapid(token)) }
        #expect(throws: SenderError.otherKey) { try verify(other.webPush(token), [other.cryptoKey]) }
        #expect(throws: SenderError.badSignature) { try verify(other.webPush(token), [signer.cryptoKey]) }
    }

    @Test(arguments: [
        #"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":null}"#, "{}", "[]", "", "x", #"{"ALG":"ES256"}"#,
    ])
    func `only ES256 is a signature`(header: String) throws {
        var signer = signer
        signer.header = header
        let token = try signer.token(audience: Self.origin, expiration: clock.now + 60)
        #expect(throws: SenderError.malformed) { try verify(signer.vapid(token)) }
    }

    @Test func `a token is verified once, and then known`() throws {
        let verifier = verifier()
        let field = try signer.vapid(token())
        try verify(field, by: verifier)
        // Set back, the clock makes the token one of more than a day: whoever reads it anew refuses it.
        clock.set(now: clock.now - 86_400)
        #expect(throws: Never.self) { try verify(field, by: verifier) }
        #expect(throws: SenderError.tooLongLived) { try verify(field) }
    }

    @Test func `a token that is known expires like any other`() throws {
        let verifier = verifier()
        let field = try signer.vapid(token(validFor: 60))
        try verify(field, by: verifier)
        clock.advance(by: 60)
        #expect(throws: Never.self) { try verify(field, by: verifier) }
        clock.advance(by: 1)
        #expect(throws: SenderError.expired) { try verify(field, by: verifier) }
    }

    @Test func `a token that is known for one key is not known for another`() throws {
        let verifier = verifier()
        let other = try VAPIDSigner()
        let token = try token()
        try verify(signer.vapid(token), by: verifier)
        let key = other.key.publicPoint
        #expect(throws: SenderError.badSignature) { try verify(other.vapid(token), by: verifier, key: key) }
        #expect(throws: SenderError.otherKey) { try verify(signer.vapid(token), by: verifier, key: key) }
    }

    @Test func `a token that was refused is refused again`() throws {
        let verifier = verifier()
        let field = try signer.vapid(VAPIDSigner().token(audience: Self.origin, expiration: clock.now + 60))
        for _ in 0..<3 { #expect(throws: SenderError.badSignature) { try verify(field, by: verifier) } }
    }

    @Test func `more tokens than are remembered are verified all the same`() throws {
        let verifier = verifier()
        let first = try signer.vapid(token(validFor: 1))
        try verify(first, by: verifier)
        for seconds in 2...1_100 { try verify(signer.vapid(token(validFor: Int64(seconds))), by: verifier) }
        #expect(throws: Never.self) { try verify(first, by: verifier) }
    }
}
