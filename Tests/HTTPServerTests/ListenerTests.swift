import Foundation
import Glibc
import Testing

@testable import HTTPServer

@Suite struct ListenerTests {
    private static let get = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    private static let hasIPv6 = (try? Listener(.ipv6(host: "::1", port: 0))) != nil

    /// A path that no other test uses.
    private let path = NSTemporaryDirectory() + "/http-\(UUID().uuidString.prefix(8)).sock"

    private func mode() -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    @Test(.enabled(if: hasIPv6)) func `an IPv6 listener answers`() async throws {
        let text = try await withServer(.ipv6(host: "::1", port: 0)) { server in
            let client = try Client(server.boundAddress)
            client.send(Self.get)
            return try client.reply().text
        }
        #expect(text == "ok")
    }

    @Test func `a unix listener answers, is open to its group, and leaves no file`() async throws {
        try await withServer(.unix(path: path)) { [mode] server in
            #expect(mode() == S_IFSOCK | 0o660)
            let client = try Client(server.boundAddress)
            client.send(Self.get)
            #expect(try client.reply().text == "ok")
            client.send("(")
            #expect(try client.reply().status == 400)
            #expect(client.isCutOff())
        }
        #expect(mode() == nil)
    }

    @Test func `a request of a unix client that has ended is handled`() async throws {
        let text = try await withServer(.unix(path: path)) { server in
            let client = try Client(server.boundAddress)
            client.send(Self.get)
            client.endSending()
            return try client.reply().text
        }
        #expect(text == "ok")
    }

    @Test func `a socket that nobody listens on is replaced`() async throws {
        let address = try #require(SocketAddress(.unix(path: path)))
        let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(address.withPointer { bind(stale, $0, $1) } == 0)
        close(stale)
        let text = try await withServer(.unix(path: path)) { server in
            let client = try Client(server.boundAddress)
            client.send(Self.get)
            return try client.reply().text
        }
        #expect(text == "ok")
    }

    @Test func `a socket in use and a file that is no socket stay as they are`() async throws {
        try await withServer(.unix(path: path)) { [path] _ in
            _ = #expect(throws: ServerError.socketInUse(path: path)) { _ = try Listener(.unix(path: path)) }
        }
        try "notes".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(throws: ServerError.notASocket(path: path)) { _ = try Listener(.unix(path: path)) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "notes")
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `a port in use is an error with a remedy`() async throws {
        try await withServer { server in
            let error = #expect(throws: ServerError.self) { _ = try Listener(server.boundAddress) }
            #expect(error?.description.hasSuffix("stop the program that listens there or use another port") == true)
        }
    }

    @Test(arguments: [
        (ListenAddress.ipv4(host: "localhost", port: 0), "not an address"), (.unix(path: ""), "not an address"),
        (.ipv4(host: "192.0.2.1", port: 0), "use an address of this machine"),
        (.unix(path: "/no/such/directory/x.sock"), "make the directory"),
    ])
    func `an address that cannot be used is an error with a remedy`(_ address: ListenAddress, _ part: String) {
        let error = #expect(throws: ServerError.self) { _ = try Listener(address) }
        #expect(error?.description.contains(part) == true)
    }
}
