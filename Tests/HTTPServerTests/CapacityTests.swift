import Testing

@testable import HTTPServer

@Suite struct CapacityTests {
    private static let get = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func limits(connections: Int) -> Limits {
        var limits = Limits.patient
        limits.connections = connections
        return limits
    }

    @Test func `at the cap the longest idle connection gives way`() async throws {
        try await withServer(limits: Self.limits(connections: 3)) { server in
            let clients = try (0..<3).map { _ in try Client(server.boundAddress) }
            // In another order than they came, so that the longest idle is not the oldest.
            for client in [clients[1], clients[0], clients[2]] {
                client.send(Self.get)
                #expect(try client.reply().text == "ok")
            }
            let newcomer = try Client(server.boundAddress)
            newcomer.send(Self.get)
            #expect(try newcomer.reply().text == "ok")
            #expect(clients[1].isCutOff())
            for client in [clients[0], clients[2]] {
                client.send(Self.get)
                #expect(try client.reply().text == "ok")
            }
        }
    }

    @Test func `at the cap with all at work a newcomer waits for one to finish`() async throws {
        let gate = Gate()
        let handler: @Sendable (Request) async -> Response = { request in
            if request.head.target == Array("/wait".utf8) { await gate.pass() }
            return Response(status: 200, body: request.head.target)
        }
        try await withServer(limits: Self.limits(connections: 1), handler: handler) { server in
            let first = try Client(server.boundAddress)
            first.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            gate.awaitArrival()
            let newcomer = try Client(server.boundAddress)
            newcomer.send(Self.get)
            gate.open()
            #expect(try first.reply().text == "/wait")
            #expect(try newcomer.reply().text == "/healthz")
            #expect(first.isCutOff())
        }
    }

    @Test func `more silent connections than the cap do not keep another from its answer`() async throws {
        let text = try await withServer(limits: Self.limits(connections: 20)) { server in
            let silent = try (0..<60).map { _ in try Client(server.boundAddress) }
            let client = try Client(server.boundAddress)
            client.send(Self.get)
            return try withExtendedLifetime(silent) { try client.reply().text }
        }
        #expect(text == "ok")
    }

    @Test(arguments: [
        (Duration.zero, Int32(0)), (.seconds(-1), 0), (.nanoseconds(1), 1), (.milliseconds(1), 1),
        (.microseconds(1_001), 2), (.seconds(10), 10_000), (.seconds(Int64.max), 3_600_000),
    ])
    func `a wait is rounded up to milliseconds and never too long for the kernel`(_ time: Duration, _ wait: Int32) {
        #expect(Poll.milliseconds(time) == wait)
    }
}
