/// What holds for the fields of every request, whatever its route.
enum HeadRules {
    /// Fields of which a second line is refused even when it says the same.
    ///
    /// A proxy may act on the first and this server on the last; with Authorization, whoever adds a line wins.
    private static let singular = ["Host", "Content-Length", "Authorization", "Expect"]

    /// Refuses a second line of a field that may come once, and an absent or malformed Host.
    ///
    /// RFC 9112, section 3.2: HTTP/1.1 has exactly one Host, HTTP/1.0 may have none.
    static func check(_ fields: Fields, version: RequestLine.Version) throws(Refusal) {
        for name in singular where fields.count(name) > 1 {
            throw name == "Host" ? .malformedHost : .repeatedField
        }
        guard let host = fields.first("Host") else {
            if version == .http10 { return }
            throw .malformedHost
        }
        guard isHost(host) else { throw .malformedHost }
    }

    /// Whether the client waits for 100 (Continue) before it sends the body (RFC 9110, section 10.1.1).
    static func expectsContinue(_ fields: Fields, version: RequestLine.Version) throws(Refusal) -> Bool {
        guard let expectation = fields.first("Expect") else { return false }
        guard expectation.spells("100-continue") else { throw .unsupportedExpectation }
        // An HTTP/1.0 client would take the interim answer for the answer.
        return version == .http11
    }

    /// Whether another request may follow on the connection (RFC 9112, section 9.3).
    static func isPersistent(_ fields: Fields, version: RequestLine.Version) -> Bool {
        version == .http11 && !fields.members("Connection").contains { $0.spells("close") }
    }

    /// A host and an optional port (RFC 9110, section 7.2); the host is not empty.
    private static func isHost(_ value: [UInt8]) -> Bool {
        let host: ArraySlice<UInt8>
        if value.first == UInt8(ascii: "[") {
            guard let bracket = value.firstIndex(of: UInt8(ascii: "]")) else { return false }
            host = value[...bracket]
            guard isLiteral(host.dropFirst().dropLast()) else { return false }
        } else {
            host = value.prefix { $0 != Octet.colon }
            guard isName(host) else { return false }
        }
        let port = value[host.endIndex...]
        guard let colon = port.first else { return true }
        let digits = port.dropFirst()
        return colon == Octet.colon && digits.count <= 5 && digits.allSatisfy(\.isDigit)
    }

    /// IPv6 or IPvFuture by its characters (RFC 3986, section 3.2.2); which address it is does not matter here.
    private static func isLiteral(_ octets: ArraySlice<UInt8>) -> Bool {
        !octets.isEmpty && octets.allSatisfy { $0.isNameCharacter || $0 == Octet.colon }
    }

    /// A reg-name or IPv4 address; "%" only with two hexadecimal digits.
    private static func isName(_ octets: ArraySlice<UInt8>) -> Bool {
        var rest = octets
        while let octet = rest.popFirst() {
            if octet == UInt8(ascii: "%") {
                guard rest.popFirst()?.hexadecimalValue != nil, rest.popFirst()?.hexadecimalValue != nil else {
                    return false
                }
            } else if !octet.isNameCharacter {
                return false
            }
        }
        return !octets.isEmpty
    }
}
