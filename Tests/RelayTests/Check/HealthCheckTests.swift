import Foundation
import HTTPServer
import RelayCore
import RelayTesting
import Testing

@testable import relay

@Suite(.fewAtATime) struct HealthCheckTests {
    /// A stand-in for a relay that answers `/healthz` with this.
    private func server(_ address: String, _ response: Response) throws -> Server {
        let server = try Server(
            address: ListenAddress(parsing: address),
            bodyRule: { _ in BodyRule(limit: 0, isRequired: false) },
            handler: { request in
                request.head.target == Array("/healthz".utf8) ? response : Response(status: 404)
            }
        )
        server.start()
        return server
    }

    private func check(_ server: Server) async throws -> (text: String, isOK: Bool) {
        // It goes with the last that holds it.
        defer { withExtendedLifetime(server) {} }
        return try await check(server.boundAddress)
    }

    private func check(_ address: ListenAddress) async throws -> (text: String, isOK: Bool) {
        try await onThread { HealthCheck(address).run() }
    }

    @Test(arguments: ["127.0.0.1:0", "0.0.0.0:0", "[::1]:0", "[::]:0", "[0:0::0]:0"])
    func `a relay that is well is, on whatever address it listens`(address: String) async throws {
        let server = try server(address, Response(status: 200, body: Array("ok".utf8)))
        let health = try await check(server)
        #expect(health == ("ok", true))
    }

    @Test func `a relay on a Unix socket is asked there`() async throws {
        let folder = try TemporaryFolder()
        let address = "unix:\(folder.path("relay.sock"))"
        let server = try server(address, Response(status: 200, body: Array("ok".utf8)))
        let health = try await check(server)
        #expect(health == ("ok", true))
    }

    @Test func `a relay that is not well says why in one line`() async throws {
        let problem = Response.problem(503, "storage_unavailable", "the disk is full:\nmake room")
        let server = try server("127.0.0.1:0", problem)
        let health = try await check(server)
        #expect(!health.isOK)
        #expect(health.text.contains(" answers 503: the disk is full"))
        #expect(!health.text.contains("\n"))
    }

    @Test func `another program there is not a relay that is well`() async throws {
        let server = try server("127.0.0.1:0", Response(status: 200, body: Array("<html>".utf8)))
        let health = try await check(server)
        #expect(!health.isOK)
        #expect(health.text.hasSuffix("answers 200: this is not the relay: check LISTEN_ADDR"))
    }

    @Test func `no relay at all is told with where it was looked for`() async throws {
        let folder = try TemporaryFolder()
        let address = "unix:\(folder.path("none.sock"))"
        let health = try await check(ListenAddress(parsing: address))
        #expect(!health.isOK)
        #expect(health.text.hasPrefix("\(address): "))
        #expect(health.text.contains("see that the relay runs"))
    }

    @Test func `the command needs LISTEN_ADDR alone`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let folder = try TemporaryFolder()
        let file = try folder.write("LISTEN_ADDR=\(relay.address)\n", to: "relay.env")
        let health = try await onThread { try healthCheck(environmentFile: file) }
        #expect(health == ("ok", true))
        try folder.write("LISTEN_ADDR=nowhere\n", to: "relay.env")
        await #expect(throws: StartError.self) {
            try await onThread { try healthCheck(environmentFile: file) }
        }
    }
}
