import HTTPServer
import WebPush

/// What the fields of a push say, parsed once (RFC 8030, section 5; RFC 8291, section 4).
struct PushHeaders {
    let timeToLive: TimeToLive

    /// A missing `Content-Encoding` is taken for the one coding that there is; a body in another does not decrypt.
    init(_ fields: Fields) throws(RelayError) {
        let codings = fields.values("Content-Encoding")
        guard codings.isEmpty || (codings.count == 1 && codings[0].isCoding("aes128gcm")) else { throw .unknownCoding }
        let times = fields.values("TTL")
        switch times.count {
        case 0:
            timeToLive = .standard
        case 1:
            guard let time = TimeToLive(parsing: times[0]) else { throw .malformedTTL }
            timeToLive = time
        default:
            throw .malformedTTL
        }
    }
}

extension [UInt8] {
    /// Codings are compared without regard to case (RFC 9110, section 8.4.1).
    fileprivate func isCoding(_ name: String) -> Bool {
        String(decoding: self, as: UTF8.self).lowercased() == name
    }
}
