import APNs
import Glibc
import HTTPServer
import RelayCore
import RelayTesting
import Store
import Testing

@testable import relay

@Suite(.fewAtATime) struct ControlTests {
    private struct Asked: Error, CustomStringConvertible { let description: String }

    /// Asks for the database's facts beside a database at this path; nil where no relay runs.
    private func ask(_ path: String) async throws -> DatabaseFacts? {
        try await onThread {
            do throws(StartError) {
                return try Control(files: StoreFiles(database: path), backups: nil).askRelay(.get, "/facts")
            } catch {
                throw Asked(description: error.lines.joined(separator: "\n"))
            }
        }
    }

    /// A stand-in for a relay that answers every command with this.
    private func server(_ folder: TemporaryFolder, _ response: Response) throws -> Server {
        let server = try Server(
            address: .unix(path: folder.path("relay.sqlite.control")),
            bodyRule: { _ in BodyRule(limit: 8_192, isRequired: false) },
            handler: { _ in response }
        )
        server.start()
        return server
    }

    @Test func `without a socket, and at one that a killed relay left, none runs`() async throws {
        let folder = try TemporaryFolder()
        #expect(try await ask(folder.path("relay.sqlite")) == nil)
        #expect(try await ask(folder.path("missing/relay.sqlite")) == nil)
        let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: folder.path("relay.sqlite.control").utf8) }
        let status = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(left, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(status == 0)
        close(left)
        #expect(try await ask(folder.path("relay.sqlite")) == nil)
    }

    @Test(arguments: [
        (Response.problem(429, "too_many_tests", "too many tests are under way: try again in a minute"), "under way"),
        (Response(status: 200, body: Array("{}".utf8)), "of another version: restart it"),
    ])
    func `a relay that runs and does not do it says why`(response: Response, words: String) async throws {
        let folder = try TemporaryFolder()
        let server = try server(folder, response)
        defer { withExtendedLifetime(server) {} }
        let error = await #expect(throws: Asked.self) { _ = try await ask(folder.path("relay.sqlite")) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test func `a path that no socket can have is said to be too long`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(String(repeating: "a", count: 100) + ".sqlite")
        let error = await #expect(throws: Asked.self) { _ = try await ask(path) }
        #expect(error?.description.hasSuffix("the path is too long for a socket: give DB_PATH a shorter one") == true)
    }

    @Test(
        arguments: [
            (0, nil), (EAGAIN, nil), (EACCES, "run this as root, or as the relay's user"),
            (EPERM, "run this as root, or as the relay's user"), (EMFILE, "restart it if need be"),
        ] as [(Int32, String?)]
    )
    func `a socket that may not be opened is told from none`(code: Int32, remedy: String?) {
        let obstacle = Control.obstacle(code, at: "/d/relay.sqlite.control")
        #expect((obstacle == nil) == (remedy == nil))
        #expect(obstacle?.hasPrefix("/d/relay.sqlite.control: ") != false)
        #expect(remedy.map { obstacle?.hasSuffix($0) == true } ?? true)
    }
}
