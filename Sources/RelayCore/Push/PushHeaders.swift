import HTTPServer
import WebPush

/// A field of a push that has a grammar.
enum PushField: String, CaseIterable {
    case timeToLive = "TTL"
    case urgency = "Urgency"
    case topic = "Topic"
    case encryption = "Encryption"
    case cryptoKey = "Crypto-Key"

    init(_ error: LegacyMessage.FieldError) {
        switch error {
        case .encryption: self = .encryption
        case .cryptoKey: self = .cryptoKey
        }
    }
}

/// What the fields of a push say, parsed once (RFC 8030, section 5; RFC 8291, section 4).
struct PushHeaders {
    /// How the body is said to be encrypted.
    enum Coding {
        case aes128gcm
        /// The coding before RFC 8291.
        case aesgcm
        /// Nothing is said; the body itself has to look like the present coding.
        case unnamed
    }

    let coding: Coding
    let encryption: [[UInt8]]
    let cryptoKey: [[UInt8]]
    let authorization: [UInt8]?
    let timeToLive: TimeToLive
    let urgency: Urgency
    let topic: Topic?

    init(_ fields: Fields) throws(RelayError) {
        coding = try Self.coding(fields.values("Content-Encoding"))
        encryption = fields.values("Encryption")
        cryptoKey = fields.values("Crypto-Key")
        let authorizations = fields.values("Authorization")
        // Of two it is not clear which one counts, so that nothing is shown.
        authorization = authorizations.count == 1 ? authorizations.first : nil
        if coding != .aesgcm, let conflict = LegacyMessage.conflict(encryption: encryption, cryptoKey: cryptoKey) {
            throw .malformedField(PushField(conflict))
        }
        timeToLive = try Self.single(.timeToLive, in: fields, TimeToLive.init(parsing:)) ?? .standard
        urgency = try Self.single(.urgency, in: fields, Urgency.init(parsing:)) ?? .normal
        topic = try Self.single(.topic, in: fields, Topic.init(parsing:))
    }

    /// Exactly one coding (RFC 8291, section 4), compared without regard to case (RFC 9110, section 8.4.1).
    private static func coding(_ values: [[UInt8]]) throws(RelayError) -> Coding {
        guard let value = values.first else { return .unnamed }
        // Long ones are not even looked at: lower case of Unicode's marks takes its time, and no row is known yet.
        guard values.count == 1, value.count <= 9 else { throw .unknownCoding }
        switch String(decoding: value, as: UTF8.self).lowercased() {
        case "aes128gcm": return .aes128gcm
        case "aesgcm": return .aesgcm
        default: throw .unknownCoding
        }
    }

    /// The value of a field that may come once; one that comes twice is as malformed as one that cannot be read.
    private static func single<Value>(
        _ field: PushField,
        in fields: Fields,
        _ parse: ([UInt8]) -> Value?
    ) throws(RelayError) -> Value? {
        let values = fields.values(field.rawValue)
        guard let first = values.first else { return nil }
        guard values.count == 1, let value = parse(first) else { throw .malformedField(field) }
        return value
    }
}
