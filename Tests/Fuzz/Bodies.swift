import Crypto
import RelayTesting

@testable import WebPush

/// A message to one receiver: as it may arrive, or sealed properly around any record, so that the tag is no wall.
///
/// The first octet chooses how the others are read.
func check(_ octets: [UInt8]) {
    var input = Input(octets)
    switch input.octet() {
    case UInt8(ascii: "b"): checkBody(input.remainder())
    case UInt8(ascii: "l"): checkLegacy(encryption: input.line(), cryptoKey: input.line(), body: input.remainder())
    case UInt8(ascii: "r"): checkRecord(size: UInt32(input.number(octets: 4)), input.remainder())
    case UInt8(ascii: "p"): checkLegacyRecord(size: input.line(), input.remainder())
    case UInt8(ascii: "x"):
        checkChanged(at: Int(input.number(octets: 2)), by: input.octet(), input.remainder())
    default: return
    }
}

/// The receiver of `Tests/Vectors/aes128gcm_bodies.json`, and a sender; always the same ones, so that findings repeat.
private enum Party {
    static let receiver = make {
        try ReceiverKeys(
            scalar: Base64URL.decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94".utf8) ?? [],
            authSecret: Base64URL.decode("BTBZMqHH6r4Tts7J_aSIgg".utf8) ?? []
        )
    }
    static let sender = make { try P256PrivateKey(scalar: [UInt8](repeating: 7, count: 32)) }
    static let salt = [UInt8](0..<16)

    static func make<Value>(_ work: () throws -> Value) -> Value {
        do { return try work() } catch { fatalError("the fixed keys are not keys: \(error)") }
    }
}

private func seal(_ record: [UInt8], size: UInt32) throws -> [UInt8] {
    var sender = WebPushSender(p256dh: Party.receiver.privateKey.publicPoint, auth: Party.receiver.authSecret)
    (sender.key, sender.salt, sender.recordSize) = (Party.sender, Party.salt, size)
    return try sender.seal(record)
}

private func sealLegacy(_ record: [UInt8]) throws -> LegacyWebPushSender.Message {
    var sender = LegacyWebPushSender(p256dh: Party.receiver.privateKey.publicPoint, auth: Party.receiver.authSecret)
    (sender.key, sender.salt) = (Party.sender, Party.salt)
    return try sender.seal(record)
}

private func open(_ body: [UInt8]) -> Result<[UInt8], MessageError> {
    outcome { () throws(MessageError) in try Party.receiver.open(EncryptedMessage(parsing: body)) }
}

private func open(_ message: LegacyMessage) -> Result<[UInt8], MessageError> {
    outcome { () throws(MessageError) in try Party.receiver.open(message) }
}

/// What opens was sealed for this receiver, so it opens again when it is sealed again.
private func checkBody(_ body: [UInt8]) {
    let opened = open(body)
    require(open(body) == opened, "a body opens the same twice")
    require(opened != .failure(.cryptographyFailed), "no body is a fault of the relay")
    guard case .success(let plaintext) = opened else { return }
    require(plaintext.count <= body.count - 86 - 17, "header, delimiter and tag are no plaintext")
    require(try open(seal(plaintext + [2], size: .max)) == opened, "what opened opens again")
}

private func checkLegacy(encryption: [UInt8], cryptoKey: [UInt8], body: [UInt8]) {
    let conflict = LegacyMessage.conflict(encryption: [encryption], cryptoKey: [cryptoKey])
    guard let message = try? LegacyMessage(encryption: [encryption], cryptoKey: [cryptoKey], body: body) else { return }
    require(message.salt.count == 16 && message.senderKey.count == 65, "the fields hold whole values")
    require(conflict != nil, "fields that make a legacy message do not fit beside the present coding")
    let opened = open(message)
    require(opened != .failure(.cryptographyFailed), "no body is a fault of the relay")
    guard case .success(let plaintext) = opened else { return }
    require(try openLegacy([0, 0] + plaintext) == opened, "what opened opens again")
}

/// The padding's grammar once more: zeros at the end, and before them 2.
private func checkRecord(size: UInt32, _ record: [UInt8]) {
    let expected: Result<[UInt8], MessageError>
    var rest = record[...]
    while rest.last == 0 { rest.removeLast() }
    if size < 18 {
        expected = .failure(.recordSizeTooSmall)
    } else if record.isEmpty {
        expected = .failure(.shortRecord)
    } else if record.count + 16 > Int(size) {
        expected = .failure(.multipleRecords)
    } else if rest.isEmpty {
        expected = .failure(.noDelimiter)
    } else {
        expected = rest.last == 2 ? .success(Array(rest.dropLast())) : .failure(.badDelimiter)
    }
    let opened = Party.make { try open(seal(record, size: size)) }
    require(opened == expected, "\(opened) instead of \(expected)")
}

/// The old coding's: two octets of length, so many zeros, and what is left.
private func checkLegacyRecord(size: [UInt8], _ record: [UInt8]) {
    let opened = outcome { () throws(MessageError) in
        let sealed = Party.make { try sealLegacy(record) }
        let fields = sealed.encryption.utf8 + (size.isEmpty ? [] : Array(";rs=".utf8) + size)
        guard
            let message = try? LegacyMessage(
                encryption: [Array(fields)],
                cryptoKey: [Array(sealed.cryptoKey.utf8)],
                body: sealed.body
            )
        else { return [UInt8]?.none }
        require(message.recordSize > 2 && (size.isEmpty || message.recordSize <= 9_999_999_999), "rs is a size")
        return try Party.receiver.open(message)
    }
    guard case .success(let plaintext?) = opened else { return }
    let padding = Int(record[0]) << 8 | Int(record[1])
    require(record == Array(record[..<2]) + [UInt8](repeating: 0, count: padding) + plaintext, "padding is zeros")
    require(try openLegacy([0, 0] + plaintext) == .success(plaintext), "what opened opens again")
}

private func openLegacy(_ record: [UInt8]) throws -> Result<[UInt8], MessageError> {
    let sealed = try sealLegacy(record)
    return try open(
        LegacyMessage(
            encryption: [Array((sealed.encryption + ";rs=9999999999").utf8)],
            cryptoKey: [Array(sealed.cryptoKey.utf8)],
            body: sealed.body
        )
    )
}

/// A message of which one octet is another one does not open; only the record size is not authenticated.
private func checkChanged(at place: Int, by difference: UInt8, _ plaintext: [UInt8]) {
    var body = Party.make { try seal(plaintext + [2], size: 0x1_0000) }
    guard difference != 0, body.indices.contains(place) else { return }
    body[place] ^= difference
    guard !(16..<20).contains(place) else { return checkBody(body) }
    if case .success = open(body) { require(false, "octet \(place) can be changed") }
}
