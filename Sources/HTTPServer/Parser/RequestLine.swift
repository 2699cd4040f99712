/// Method, target and version (RFC 9112, section 3).
struct RequestLine: Sendable {
    /// The versions that are served.
    enum Version: Sendable {
        case http10
        case http11
    }

    let method: String
    let target: [UInt8]
    let version: Version

    /// Reads a line without its CR LF.
    ///
    /// The version is judged before the target, so that the preface of HTTP/2, whose target is `*`, gets 505.
    init(_ line: [UInt8]) throws(Refusal) {
        let parts = line.split(separator: Octet.space, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenCharacter) else {
            throw .malformedRequestLine
        }
        version = try Self.version(parts[2])
        guard parts[1].first == UInt8(ascii: "/"), parts[1].allSatisfy(\.isTargetCharacter) else {
            throw .malformedTarget
        }
        method = String(decoding: parts[0], as: UTF8.self)
        target = Array(parts[1])
    }

    /// HTTP-version: case-sensitive, one digit, a dot, one digit (RFC 9112, section 2.3).
    private static func version(_ octets: ArraySlice<UInt8>) throws(Refusal) -> Version {
        let digits = octets.dropFirst(5)
        guard octets.starts(with: "HTTP/".utf8), digits.count == 3, digits.dropFirst().first == UInt8(ascii: "."),
            let major = digits.first?.decimalValue, let minor = digits.last?.decimalValue
        else {
            throw .malformedRequestLine
        }
        switch (major, minor) {
        case (1, 0): return .http10
        case (1, 1): return .http11
        default: throw .unsupportedVersion
        }
    }
}
