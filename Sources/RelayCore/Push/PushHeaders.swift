import HTTPServer
import WebPush

/// What the fields of a push say, parsed once (RFC 8030, section 5; RFC 8291, section 4).
struct PushHeaders {
    let timeToLive: TimeToLive
    let urgency: Urgency
    let topic: Topic?

    /// A missing `Content-Encoding` is taken for the one coding that there is; a body in another does not decrypt.
    init(_ fields: Fields) throws(RelayError) {
        let codings = fields.values("Content-Encoding")
        guard codings.isEmpty || (codings.count == 1 && codings[0].isCoding("aes128gcm")) else { throw .unknownCoding }
        timeToLive = try Self.single("TTL", in: fields, TimeToLive.init(parsing:)) ?? .standard
        urgency = try Self.single("Urgency", in: fields, Urgency.init(parsing:)) ?? .normal
        topic = try Self.single("Topic", in: fields, Topic.init(parsing:))
    }

    /// The value of a field that may come once; one that comes twice is as malformed as one that cannot be read.
    private static func single<Value>(
        _ name: String,
        in fields: Fields,
        _ parse: ([UInt8]) -> Value?
    ) throws(RelayError) -> Value? {
        let values = fields.values(name)
        guard let first = values.first else { return nil }
        guard values.count == 1, let value = parse(first) else { throw .malformedField(name) }
        return value
    }
}

extension [UInt8] {
    /// Codings are compared without regard to case (RFC 9110, section 8.4.1).
    fileprivate func isCoding(_ name: String) -> Bool {
        String(decoding: self, as: UTF8.self).lowercased() == name
    }
}
