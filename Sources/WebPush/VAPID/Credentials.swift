/// What a sender shows of itself: a token, and the key that it claims to have signed it with (RFC 8292, section 3).
struct Credentials {
    /// A JSON Web Token in compact form, unread.
    let token: [UInt8]
    /// The sender's public key, 65 octets; nil when what was given is none.
    let key: [UInt8]?

    /// Reads `Authorization: vapid t=…, k=…`, or the older `WebPush <token>`, whose key stands in `Crypto-Key: p256ecdsa=…`.
    ///
    /// Nil for another scheme, and where it is not clear which token or key is meant: then nothing was shown at all.
    init?(authorization: [UInt8], cryptoKey: [[UInt8]]) {
        guard let space = authorization.prefix("webpush ".utf8.count).firstIndex(of: 0x20) else { return nil }
        let rest = authorization[authorization.index(after: space)...]
        switch String(decoding: authorization[..<space], as: UTF8.self).lowercased() {
        case "vapid":
            guard let parameters = Parameters([rest]), let token = parameters.value("t"), parameters.count(of: "k") == 1
            else { return nil }
            self.token = Array(token)
            key = parameters.octets("k")
        case "webpush":
            guard let keys = Parameters(cryptoKey), keys.count(of: "p256ecdsa") == 1 else { return nil }
            token = Array(rest.drop { $0 == 0x20 })
            key = keys.octets("p256ecdsa")
        default:
            return nil
        }
    }
}
