import Glibc
import Testing

@testable import HTTPServer

@Suite struct LoadTests {
    private static let get = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `connections are told from the first to the last`() async throws {
        try await withServer { server in
            #expect(server.load == Server.Load())
            let clients = try (1...3).map { _ in
                let client = try Client(server.boundAddress)
                client.send(Self.get)
                _ = try client.reply()
                return client
            }
            #expect(server.load == Server.Load(connections: 3))
            for client in clients { client.reset() }
            // Not an expectation: only keeps a broken server from hanging the suite for ever.
            let patience = ContinuousClock.now + .seconds(60)
            while server.load.connections > 0, .now < patience { sched_yield() }
            #expect(server.load == Server.Load())
        }
    }

    @Test func `requests are in flight while their handlers run, and one too many is counted`() async throws {
        var limits = Limits.patient
        limits.requestsInFlight = 1
        let gate = Gate()
        let handler: @Sendable (Request) async -> Response = { request in
            if request.head.target == Array("/wait".utf8) { await gate.pass() }
            return Response(status: 200)
        }
        try await withServer(limits: limits, handler: handler) { server in
            let first = try Client(server.boundAddress)
            first.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            gate.awaitArrival()
            #expect(server.load.requestsInFlight == 1)
            let second = try Client(server.boundAddress)
            second.send(Self.get)
            #expect(try second.reply().status == 503)
            #expect(server.load.requestLimitHits == 1)
            gate.open()
            #expect(try first.reply().status == 200)
            #expect(server.load.requestsInFlight == 0)
            #expect(server.load.requestLimitHits == 1)
        }
    }

    @Test func `a body that does not fit with the others is counted`() async throws {
        var limits = Limits.patient
        limits.requestOctets = 5_000
        limits.smallRequestOctets = 100
        try await withServer(limits: limits) { server in
            let client = try Client(server.boundAddress)
            client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 6000\r\n\r\n")
            client.send(String(repeating: "x", count: 6_000))
            #expect(try client.reply().status == 503)
            #expect(server.load.requestLimitHits == 1)
            #expect(server.load.connectionLimitHits == 0)
        }
    }

    @Test func `a connection that is closed for a newcomer is counted`() async throws {
        var limits = Limits.patient
        limits.connections = 1
        try await withServer(limits: limits) { server in
            let first = try Client(server.boundAddress)
            first.send(Self.get)
            _ = try first.reply()
            let hits = server.load.connectionLimitHits
            let newcomer = try Client(server.boundAddress)
            newcomer.send(Self.get)
            _ = try newcomer.reply()
            #expect(first.isCutOff())
            #expect(server.load.connectionLimitHits > hits)
            #expect(server.load.connections == 1)
        }
    }
}
