import APNs
import HTTPServer
import RelayCore
import RelayTesting
import Testing

/// A command's own request, to a server that speaks plain HTTP/1.1.
@Suite(.fewAtATime) struct PlainProbeTests {
    private func answer(
        to probe: @escaping @Sendable (_ origin: String) -> Probe,
        from handler: @escaping @Sendable (Request) async -> Response
    ) async throws -> ProbeAnswer {
        let server = try Server(
            address: ListenAddress(parsing: "127.0.0.1:0"),
            bodyRule: { _ in BodyRule(limit: 65_536, isRequired: false) },
            handler: handler
        )
        defer { withExtendedLifetime(server) {} }
        server.start()
        let origin = "http://\(server.boundAddress)"
        return try await onThread { try probe(origin).answer() }
    }

    @Test func `a redirect is the answer, and nobody follows it`() async throws {
        let answer = try await answer(to: { Probe(.get, "\($0)/first") }) { request in
            request.head.target == Array("/first".utf8)
                ? Response(status: 302, fields: [("Location", "/second")], body: Array("moved".utf8))
                : Response(status: 200, body: Array("followed".utf8))
        }
        #expect(answer.status == 302)
        #expect(answer.field("location") == "/second")
        #expect(answer.body == Array("moved".utf8))
        #expect(answer.chain == [])
        #expect(!answer.isHTTP2)
        #expect(answer.date != nil)
    }

    @Test(arguments: [(1_000_000, true), (1_000_001, false)])
    func `an answer may have 1 MB, unless more is expected`(length: Int, isTaken: Bool) async throws {
        let body = [UInt8](repeating: 0x61, count: length)
        do {
            let answer = try await answer(to: { Probe(.get, $0) }) { _ in Response(status: 200, body: body) }
            #expect(isTaken)
            #expect(answer.body == body)
        } catch let error as ProbeError {
            #expect(!isTaken)
            #expect(error == .other("the answer is longer than 1000000 octets"))
        }
        let patient = { @Sendable (origin: String) in
            var probe = Probe(.get, origin)
            probe.longestAnswer = length
            return probe
        }
        #expect(try await answer(to: patient) { _ in Response(status: 200, body: body) }.body == body)
    }

    @Test(arguments: [[], [0], Array("a\0b".utf8), Array(repeating: 7, count: 65_536)] as [[UInt8]])
    func `a body arrives octet for octet, and its fields with it`(body: [UInt8]) async throws {
        let probe = { @Sendable (origin: String) in
            var probe = Probe(.post, "\(origin)/wp/a")
            probe.fields = [("TTL", "0"), ("X-Empty", "")]
            probe.body = body
            return probe
        }
        let answer = try await answer(to: probe) { request in
            let fields = request.head.fields
            let isWhole = fields.first("ttl") == Array("0".utf8) && fields.first("x-empty") == []
            return Response(status: isWhole && request.head.method == "POST" ? 201 : 400, body: request.body)
        }
        #expect(answer.status == 201)
        #expect(answer.body == body)
    }
}
