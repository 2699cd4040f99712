package import HTTPServer

/// What is served at `METRICS_ADDR`: the numbers for Prometheus and the page for the operator.
package struct NumbersRoutes: Sendable {
    private let numbers: Numbers
    private let load: @Sendable () -> Server.Load

    /// - Parameter load: of the listener that pushes come to.
    package init(_ numbers: Numbers, load: @escaping @Sendable () -> Server.Load) {
        self.numbers = numbers
        self.load = load
    }

    /// What may be read of a body: nobody has one here.
    package static func bodyRule(for head: Head) -> BodyRule {
        BodyRule(limit: 0, isRequired: false)
    }

    /// The answer to a request; there is always one.
    package func respond(to request: Request) async -> Response {
        let isPage = request.head.target == Array("/".utf8)
        guard isPage || request.head.target == Array("/metrics".utf8) else {
            return .problem(404, "not_found", "the numbers are at /metrics, the page at /")
        }
        guard ["GET", "HEAD"].contains(request.head.method) else {
            return .problem(405, "method_not_allowed", "use GET", fields: [("Allow", "GET, HEAD")])
        }
        guard isPage else {
            let octets = Exposition(await numbers.snapshot(http: load())).octets
            return Response(
                status: 200,
                fields: [("Content-Type", Exposition.contentType), Self.notStored],
                body: octets
            )
        }
        guard isAddressed(request.head.fields.first("Host")) else {
            let remedy = "open the page as http://127.0.0.1 or http://localhost with its port"
            return .problem(421, "misdirected", remedy)
        }
        let fields = [
            ("Content-Type", "text/html; charset=utf-8"), Self.notStored, ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", StatusPage.contentSecurityPolicy), ("Referrer-Policy", "no-referrer"),
        ]
        return Response(status: 200, fields: fields, body: StatusPage(await numbers.report(http: load())).octets)
    }

    private static let notStored = ("Cache-Control", "no-store")

    /// Whether the page was asked for by an address, or as this machine.
    ///
    /// A name may be a stranger's: one that leads to 127.0.0.1 has the operator's browser fetch the page for a script of
    /// theirs (DNS rebinding), and the page holds labels and accounts.
    private func isAddressed(_ host: [UInt8]?) -> Bool {
        guard let host else { return false }
        let text = String(decoding: host, as: UTF8.self)
        let name = text.hasPrefix("[") ? text : String(text.split(separator: ":", maxSplits: 1).first ?? "")
        if name == "localhost" || name.hasPrefix("[") { return true }
        return !name.isEmpty && name.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2e }
    }
}
