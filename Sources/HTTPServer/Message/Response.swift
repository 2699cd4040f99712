/// An answer, apart from what the server adds: Content-Length, Connection and Date.
package struct Response: Sendable {
    /// Three digits, 200 to 599; anything else is sent as 500.
    package var status: Int

    /// Names that are not tokens are left out; control octets in values are sent as spaces.
    package var fields: [(name: String, value: String)]

    /// The content; not sent in answer to HEAD, nor with 204 and 304.
    package var body: [UInt8]

    /// An answer as a handler gives it.
    package init(status: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// An error as JSON: `{"error":"<word>","message":"<message>"}`.
    ///
    /// It is not to be stored: what is wrong now may be right a moment later. `word` is for programs and never changes; `message` says what to do.
    package static func problem(
        _ status: Int,
        _ word: String,
        _ message: String,
        fields: [(name: String, value: String)] = []
    ) -> Response {
        let body = "{\"error\":\(jsonText(word)),\"message\":\(jsonText(message))}"
        return Response(
            status: status,
            fields: [("Content-Type", "application/json"), ("Cache-Control", "no-store")] + fields,
            body: Array(body.utf8)
        )
    }

    /// A JSON string (RFC 8259, section 7); every control character becomes a \u escape.
    private static func jsonText(_ text: String) -> String {
        var escaped = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\":
                escaped += "\\\(scalar)"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default:
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped + "\""
    }
}
