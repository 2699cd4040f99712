private let host = "Host: push.example\r\n"
private let push = "POST /wp/\(Routes.id) HTTP/1.1\r\n\(host)"
private let chunked = "\(push)Transfer-Encoding: chunked\r\n\r\n"

extension HostileRequest {
    /// A head of a push with these field lines and five octets of body.
    private static func fields(_ id: String, _ name: String, _ lines: String, _ expectation: String) -> HostileRequest {
        HostileRequest(id, name, "\(push)\(lines)\r\n\r\nhello", expectation)
    }

    /// A push in chunks.
    private static func chunks(_ id: String, _ name: String, _ body: String, _ expectation: String) -> HostileRequest {
        HostileRequest(id, name, chunked + body, expectation)
    }

    /// A push with this target.
    private static func target(_ id: String, _ name: String, _ target: String, _ expectation: String) -> HostileRequest
    {
        let head = "POST \(target) HTTP/1.1\r\n\(host)Content-Length: 5\r\n\r\n"
        return HostileRequest(id, name, head + "hello", expectation)
    }

    /// A push whose request line and fields are these.
    private static func head(_ id: String, _ name: String, _ head: String, _ expectation: String) -> HostileRequest {
        HostileRequest(id, name, "\(head)\r\nContent-Length: 5\r\n\r\nhello", expectation)
    }

    /// Rows that the file of vectors lacks.
    static let table: [HostileRequest] = [
        fields("H1-004", "te+cl", "Transfer-Encoding: chunked\r\nContent-Length: 5", "400-close"),
        fields("H1-005", "dup-cl-same", "Content-Length: 5\r\nContent-Length: 5", "400-close"),
        fields("H1-007", "dup-cl-diff2", "Content-Length: 0\r\nContent-Length: 5", "400-close"),
        fields("H1-010", "cl-plus", "Content-Length: +5", "400-close"),
        fields("H1-012", "cl-space-inside", "Content-Length: 5 5", "400-close"),
        fields("H1-014", "cl-empty", "Content-Length:", "400-close"),
        fields("H1-014", "cl-spaces", "Content-Length: \t ", "400-close"),
        fields("H1-015", "cl-huge", "Content-Length: 99999999999999999999999999", "413-close"),
        fields("H1-015", "cl-over-limit", "Content-Length: 65537", "413-close"),
        fields("H1-018", "no-cl-no-te-with-body", "X-A: 1", "411-close"),
        fields("H1-019", "te-xchunked", "Transfer-Encoding: xchunked", "501-close"),
        fields("H1-019", "te-identity", "Transfer-Encoding: identity", "501-close"),
        fields("H1-019", "te-empty", "Transfer-Encoding:", "400-close"),
        fields("H1-020", "te-chunked-twice", "Transfer-Encoding: chunked, chunked", "400-close"),
        fields("H1-020", "te-comma", "Transfer-Encoding: chunked,", "400-close"),
        fields("H1-022", "te-dup-same", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "400-close"),
        chunks("H1-026", "chunk-size-upper", "05;a=\"b\"\r\nhello\r\n0\r\n\r\n", "route"),
        chunks(
            "H1-027",
            "chunk-ext-long",
            "5;\(String(repeating: "a", count: 5_000))\r\nhello\r\n0\r\n\r\n",
            "400-close"
        ),
        chunks("H1-028", "chunk-ext-barelf", "5;a\nhello\r\n0\r\n\r\n", "400-close"),
        chunks("H1-029", "chunk-size-barelf", "5\nhello\r\n0\r\n\r\n", "400-close"),
        chunks("H1-030", "chunk-size-neg", "-5\r\nhello\r\n0\r\n\r\n", "400-close"),
        chunks("H1-030", "chunk-size-empty", "\r\nhello\r\n0\r\n\r\n", "400-close"),
        chunks("H1-030", "chunk-size-space", "5 \r\nhello\r\n0\r\n\r\n", "400-close"),
        chunks("H1-030", "chunk-size-zeros", "00000000000000005\r\nhello\r\n0\r\n\r\n", "400-close"),
        chunks("H1-032", "chunk-size-overflow", "10000000000000000000005\r\nhello\r\n0\r\n\r\n", "413-close"),
        chunks("H1-034", "chunk-lf-after-data", "5\r\nhello\n0\r\n\r\n", "400-close"),
        chunks("H1-034", "chunk-data-too-long", "4\r\nhello\r\n0\r\n\r\n", "400-close"),
        chunks("H1-035", "trailer-folded", "0\r\nX-T: 1\r\n 2\r\n\r\n", "400-close"),
        chunks("H1-035", "trailer-no-colon", "0\r\ngarbage\r\n\r\n", "400-close"),
        chunks("H1-035", "trailer-too-many", "0\r\n\(String(repeating: "X-T: 1\r\n", count: 65))\r\n", "431-close"),
        HostileRequest(
            "H1-025",
            "te-http10",
            "POST /wp/\(Routes.id) HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "400-close"
        ),
        head("H1-037", "obs-fold-first", "POST /wp/\(Routes.id) HTTP/1.1\r\n X: 1\r\n\(host)X-A: 1", "400-close"),
        HostileRequest(
            "H1-038",
            "bare-lf-headers",
            "POST /wp/\(Routes.id) HTTP/1.1\nHost: a\nContent-Length: 5\n\nhello",
            "400-close"
        ),
        fields("H1-038", "bare-lf-one-field", "X-A: 1\nContent-Length: 5", "400-close"),
        fields("H1-039", "bare-cr-in-header", "X-A: a\rb\r\nContent-Length: 5", "400-close"),
        fields("H1-039", "cr-cr-lf", "X-A: a\r\r\nContent-Length: 5", "400-close"),
        target("H1-042", "nul-in-path", "/wp/abc\0def", "400-close"),
        target("H1-045", "pct-slash", "/wp%2f\(Routes.id)", "404"),
        target("H1-048", "bad-pct", "/wp/abc%zz", "404"),
        target("H1-053", "absolute-uri-admin", "http://localhost/admin", "400-close"),
        target("H1-053", "backslash", "/wp\\\(Routes.id)", "400-close"),
        target("H1-053", "no-slash", "wp/\(Routes.id)", "400-close"),
        HostileRequest("H1-055", "asterisk", "OPTIONS * HTTP/1.1\r\n\(host)\r\n", "400-close"),
        head("H1-058", "no-host", "POST /wp/\(Routes.id) HTTP/1.1", "400-close"),
        head("H1-060", "host-bad", "POST /wp/\(Routes.id) HTTP/1.1\r\nHost: a b", "400-close"),
        head("H1-060", "host-path", "POST /wp/\(Routes.id) HTTP/1.1\r\nHost: evil.example/x", "400-close"),
        head("H1-060", "host-userinfo", "POST /wp/\(Routes.id) HTTP/1.1\r\nHost: a@evil.example", "400-close"),
        head("H1-060", "host-empty", "POST /wp/\(Routes.id) HTTP/1.1\r\nHost:", "400-close"),
        head("H1-060", "host-port-only", "POST /wp/\(Routes.id) HTTP/1.1\r\nHost: :80", "400-close"),
        head("H1-060", "host-bad-port", "POST /wp/\(Routes.id) HTTP/1.1\r\nHost: a:80x", "400-close"),
        head("H1-060", "host-list", "POST /wp/\(Routes.id) HTTP/1.1\r\nHost: [::1]]:80", "400-close"),
        head("H1-060", "host-literal", "POST /wp/\(Routes.id) HTTP/1.1\r\nHost: [::1]:8080", "route"),
        head("H1-065", "http20", "POST /wp/\(Routes.id) HTTP/2.0\r\nHost: a", "505-close"),
        head("H1-066", "ver-empty", "POST /wp/\(Routes.id) \r\nHost: a", "400-close"),
        head("H1-066", "ver-two-digits", "POST /wp/\(Routes.id) HTTP/1.10\r\nHost: a", "400-close"),
        head("H1-074", "two-spaces", "POST  /wp/\(Routes.id) HTTP/1.1\r\nHost: a", "400-close"),
        head("H1-074", "trailing-space", "POST /wp/\(Routes.id) HTTP/1.1 \r\nHost: a", "400-close"),
        HostileRequest("H1-072", "leading-crlf-twice", "\r\n\r\n\(push)Content-Length: 5\r\n\r\nhello", "400-close"),
        fields(
            "H1-079",
            "hdr-1000-lines",
            String(repeating: "X-A: 1\r\n", count: 1_000) + "Content-Length: 5",
            "431-close"
        ),
        fields("H1-082", "hdr-name-space", "X A: 1\r\nContent-Length: 5", "400-close"),
        fields("H1-084", "two-auth", "Authorization: a\r\nAuthorization: a\r\nContent-Length: 5", "400-close"),
        fields("H1-086", "expect-garbage", "Expect: 200-ok\r\nContent-Length: 5", "417-close"),
        fields(
            "H1-086",
            "two-expect",
            "Expect: 100-continue\r\nExpect: 100-continue\r\nContent-Length: 5",
            "400-close"
        ),
        fields("H1-088", "connection-nominated", "Connection: X-A, keep-alive\r\nX-A: 1\r\nContent-Length: 5", "route"),
    ]
}
