extension Response {
    /// The interim answer that asks for the body (RFC 9110, section 15.2.1).
    static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// The answer as it goes over the connection (RFC 9112, section 2.1).
    ///
    /// - Parameters:
    ///   - date: an IMF-fixdate (RFC 9110, section 5.6.7)
    ///   - isHead: whether HEAD was asked: the same fields, Content-Length included, without the content
    ///   - closes: whether the connection ends after this answer
    func octets(date: String, isHead: Bool, closes: Bool) -> [UInt8] {
        let status = (200...599).contains(status) ? status : 500
        // 204 has no Content-Length at all (RFC 9110, section 8.6), and 304 would have that of another answer.
        let hasContent = status != 204 && status != 304

        var octets: [UInt8] = []
        octets.reserveCapacity(512 + body.count)
        octets += "HTTP/1.1 ".utf8
        octets += String(status).utf8
        octets += " ".utf8
        octets += Self.reason(status).utf8
        octets += "\r\nDate: ".utf8
        octets += date.utf8
        octets += "\r\n".utf8
        for (name, value) in fields where Self.isSendable(name) {
            octets += name.utf8
            octets += ": ".utf8
            let start = octets.count
            octets += value.utf8
            // A CR LF in a value would start another field or another answer.
            for place in start..<octets.count where !octets[place].isFieldContent { octets[place] = Octet.space }
            octets += "\r\n".utf8
        }
        if hasContent {
            octets += "Content-Length: ".utf8
            octets += String(body.count).utf8
            octets += "\r\n".utf8
        }
        if closes { octets += "Connection: close\r\n".utf8 }
        octets += "\r\n".utf8
        if hasContent && !isHead { octets += body }
        return octets
    }

    private static let framing = ["Content-Length", "Transfer-Encoding", "Connection", "Date"]

    /// Whether a field with this name may be sent for the handler: a token, and not one that frames the answer.
    private static func isSendable(_ name: String) -> Bool {
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter) else { return false }
        return !framing.contains { name.utf8.spells($0) }
    }

    /// The reason phrase; empty for a status that nothing here uses (RFC 9112, section 4).
    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 410: "Gone"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}
