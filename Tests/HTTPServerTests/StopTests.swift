import Foundation
import Testing

@testable import HTTPServer

@Suite struct StopTests {
    /// Not a port: after the server has stopped, another test's server may have the same.
    private let path = ListenAddress.unix(path: NSTemporaryDirectory() + "/stop-\(UUID().uuidString.prefix(8)).sock")

    private static let get = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func handler(_ gate: Gate) -> @Sendable (Request) async -> Response {
        { _ in
            await gate.pass()
            return Response(status: 200, body: Array("ok".utf8))
        }
    }

    @Test func `a request in flight is answered, its successor is not, and nobody new gets in`() async throws {
        let gate = Gate()
        let server = try Server(address: path, limits: .patient, bodyRule: Routes.bodyRule, handler: Self.handler(gate))
        server.start()
        let (busy, idle) = try await offPool {
            let idle = try Client(server.boundAddress)
            let busy = try Client(server.boundAddress)
            busy.send(Self.get + Self.get)
            gate.awaitArrival()
            return (Handed(busy), Handed(idle))
        }
        async let finished = offPool { server.stop(within: .seconds(60)) }
        try await offPool {
            // The idle one is closed at once, which shows that stopping has begun.
            #expect(idle.client.isCutOff())
            #expect(throws: Client.Failure.self) { try Client(server.boundAddress) }
            gate.open()
            let reply = try busy.client.reply()
            #expect(reply.text == "ok")
            #expect(reply.values("Connection") == ["close"])
            #expect(busy.client.isCutOff())
        }
        #expect(try await finished)
    }

    @Test func `a request that does not finish in time is cut off`() async throws {
        let gate = Gate()
        let server = try Server(
            address: loopback,
            limits: .patient,
            bodyRule: Routes.bodyRule,
            handler: Self.handler(gate)
        )
        server.start()
        try await offPool {
            let client = try Client(server.boundAddress)
            client.send(Self.get)
            gate.awaitArrival()
            #expect(!server.stop(within: .milliseconds(1)))
            #expect(client.isCutOff())
            gate.open()
        }
    }

    @Test func `handlers that outlive a stop can be waited for`() async throws {
        let gate = Gate()
        let server = try Server(address: path, limits: .patient, bodyRule: Routes.bodyRule, handler: Self.handler(gate))
        server.start()
        try await offPool {
            let clients = try (0..<3).map { _ in try Client(server.boundAddress) }
            for client in clients { client.send(Self.get) }
            for _ in clients { gate.awaitArrival() }
            #expect(!server.stop(within: .zero))
            #expect(!server.waitForHandlers(within: .milliseconds(1)))
            gate.open()
            #expect(server.waitForHandlers(within: .seconds(60)))
            // Nothing is left of them that a second call would wait for.
            #expect(server.waitForHandlers(within: .zero))
            #expect(!server.stop(within: .zero))
        }
    }

    @Test func `stopping twice, or without a start, says the same`() async throws {
        let server = try Server(
            address: loopback,
            limits: .patient,
            bodyRule: Routes.bodyRule,
            handler: { Routes.answer($0) }
        )
        let finished = try await offPool { [server.stop(within: .seconds(60)), server.stop(within: .zero)] }
        #expect(finished == [true, true])
    }

    @Test func `connections that come before the start are served after it`() async throws {
        let server = try Server(
            address: loopback,
            limits: .patient,
            bodyRule: Routes.bodyRule,
            handler: { Routes.answer($0) }
        )
        let text = try await offPool {
            let client = try Client(server.boundAddress)
            client.send(Self.get)
            server.start()
            defer { server.stop(within: .zero) }
            return try client.reply().text
        }
        #expect(text == "ok")
    }

    @Test func `a server that nobody holds any more lets go of its port`() async throws {
        let address = try await offPool { [path] in
            try Server(address: path, limits: .patient, bodyRule: Routes.bodyRule, handler: { Routes.answer($0) })
                .boundAddress
        }
        try await offPool {
            _ = #expect(throws: Client.Failure.self) { try Client(address) }
        }
    }
}

/// A client on its way from one thread to the next.
///
/// Unchecked because `Client` has no lock: `offPool` returns before the next begins, so only one thread has it.
private struct Handed: @unchecked Sendable {
    let client: Client
    init(_ client: Client) { self.client = client }
}
