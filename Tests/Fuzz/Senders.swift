import Crypto
import RelayTesting

@testable import WebPush

/// What a sender shows of itself: as it may arrive, or properly signed around anything, so that the signature is no wall.
///
/// The first octet chooses how the others are read. Signatures differ from run to run, and what they decide does not.
func check(_ octets: [UInt8]) {
    var input = Input(octets)
    switch input.octet() {
    case UInt8(ascii: "a"): checkAuthorization(input.line(), cryptoKey: [input.line(), input.line()])
    case UInt8(ascii: "s"): checkSigned(header: input.line(), claims: input.remainder())
    case UInt8(ascii: "e"): checkExpiration(Int64(bitPattern: input.number(octets: 8)), audience: input.remainder())
    case UInt8(ascii: "x"): checkChanged(at: Int(input.number(octets: 2)), by: input.octet(), older: input.octet() == 1)
    default: return
    }
}

private let now: Int64 = 1_800_000_000
private let origin = "https://push.example.org"
/// The key of `Tests/Vectors/vapid_headers.json`, of which only the public half is there.
private let publishedKey =
    Base64URL.decode(
        "BH9l9gZ2J_9TSE_xRNxS2gL1cjT9_2gtBv4N41yw_sOI8DmZIH_mMS6nAYfeU4ZD9BpgUPzd9fZgl9YrD1zCMzo".utf8
    ) ?? []
private let key = make { try P256PrivateKey(scalar: [UInt8](repeating: 9, count: 32)) }

private func make<Value>(_ work: () throws -> Value) -> Value {
    do { return try work() } catch { fatalError("cannot sign: \(error)") }
}

/// Nil for a sender that is admitted; asked twice, since one that was admitted is remembered.
private func verdict(_ authorization: [UInt8], cryptoKey: [[UInt8]] = [], key: [UInt8]) -> SenderError? {
    let verifier = SenderVerifier(origin: origin, now: { now })
    func verdict() -> SenderError? {
        do throws(SenderError) {
            try verifier.verify(authorization: authorization, cryptoKey: cryptoKey, key: key)
            return nil
        } catch {
            return error
        }
    }
    let first = verdict()
    require(verdict() == first, "the memory changes no verdict")
    return first
}

private func checkAuthorization(_ authorization: [UInt8], cryptoKey: [[UInt8]]) {
    guard verdict(authorization, cryptoKey: cryptoKey, key: publishedKey) == nil else { return }
    // Nobody who fuzzes has the published key's private half: an admitted token is one of the vectors, letter for letter.
    let credentials = Credentials(authorization: authorization, cryptoKey: cryptoKey)
    require(credentials?.key == publishedKey, "only the pinned key is admitted")
    var changed = authorization
    guard let dot = authorization.firstIndex(of: 0x2e), dot > authorization.startIndex else { return }
    changed[dot - 1] ^= 1
    require(verdict(changed, cryptoKey: cryptoKey, key: publishedKey) != nil, "a changed header is not signed")
}

/// A token of any header and claims; the signature over them is right.
private func token(header: [UInt8], claims: [UInt8]) -> [UInt8] {
    let signed = Array("\(Base64URL.encode(header)).\(Base64URL.encode(claims))".utf8)
    return signed + [0x2e] + Array(Base64URL.encode(make { try key.signature(of: signed) }).utf8)
}

private func authorization(_ token: [UInt8]) -> [UInt8] {
    Array("vapid t=".utf8) + token + Array(", k=\(Base64URL.encode(key.publicPoint))".utf8)
}

private func checkSigned(header: [UInt8], claims: [UInt8]) {
    let token = token(header: header, claims: claims)
    let shown = verdict(authorization(token), key: key.publicPoint)
    require(shown != .badSignature && shown != .otherKey && shown != .missing, "\(String(describing: shown))")
    let older = verdict(
        Array("WebPush ".utf8) + token,
        cryptoKey: [Array("p256ecdsa=\(Base64URL.encode(key.publicPoint))".utf8)],
        key: key.publicPoint
    )
    require(older == shown, "both schemes are judged the same")
    require(verdict(authorization(token), key: publishedKey) == .otherKey, "another key is not the pinned one")
    guard shown == nil else { return }
    require(String(validating: claims, as: UTF8.self) != nil, "claims are text")
    require(try (now...now + 86_460).contains(SenderToken(parsing: token).expiration), "admitted for a day")
}

/// Claims that are well-formed, of which it is known beforehand whether they hold.
private func checkExpiration(_ expiration: Int64, audience: [UInt8]) {
    let signer = VAPIDSigner(key: key)
    let isForUs = [origin, origin + ":443"].contains { $0.utf8.elementsEqual(audience) }
    let name = isForUs ? String(decoding: audience, as: UTF8.self) : "https://x\(Base64URL.encode(audience)).example"
    let shown = verdict(
        Array(signer.vapid(make { try signer.token(audience: name, expiration: expiration) }).utf8),
        key: key.publicPoint
    )
    let expected: SenderError? =
        if !isForUs {
            .otherAudience
        } else if expiration < now {
            .expired
        } else if expiration > now + 86_460 {
            .tooLongLived
        } else {
            nil
        }
    require(shown == expected, "\(String(describing: shown)) instead of \(String(describing: expected))")
}

/// A good token of which one octet is another one is not admitted.
private func checkChanged(at place: Int, by difference: UInt8, older: Bool) {
    let signer = VAPIDSigner(key: key)
    var token = Array(make { try signer.token(audience: origin, expiration: now + 60) }.utf8)
    guard difference != 0, token.indices.contains(place) else { return }
    token[place] ^= difference
    let shown =
        older
        ? verdict(Array("WebPush ".utf8) + token, cryptoKey: [Array(signer.cryptoKey.utf8)], key: key.publicPoint)
        : verdict(authorization(token), key: key.publicPoint)
    require(shown != nil, "octet \(place) of a token can be changed")
}
