import Foundation
import Glibc
import RelayCore
import RelayTesting
import Testing

@Suite(.fewAtATime) struct ListenerTests {
    @Test func `a Unix socket serves, and is taken away at the end`() async throws {
        let folder = try TemporaryFolder()
        let address = "unix:\(folder.path("relay.sock"))"
        let relay = try await RelayProgram(apple: .shared(), in: folder, [.listenAddress: address])
        #expect(relay.address == address)
        #expect(try await relay.isWell())
        #expect(await relay.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.path("relay.sock")))
    }

    @Test func `a Unix socket that a killed relay left behind is taken over`() async throws {
        let folder = try TemporaryFolder()
        let address = "unix:\(folder.path("relay.sock"))"
        let relay = try await RelayProgram(apple: .shared(), in: folder, [.listenAddress: address])
        relay.program.signal(SIGKILL)
        #expect(await relay.program.end() == 128 + SIGKILL)
        #expect(FileManager.default.fileExists(atPath: folder.path("relay.sock")))
        let next = try await RelayProgram(apple: .shared(), in: folder, [.listenAddress: address])
        #expect(try await next.isWell())
    }

    @Test(.enabled("this machine has no IPv6 loopback address") { hasIPv6Loopback() })
    func `an IPv6 address serves`() async throws {
        let relay = try await RelayProgram(apple: .shared(), [.listenAddress: "[::1]:0"])
        #expect(relay.address.hasPrefix("[::1]:"))
        #expect(try await relay.isWell())
    }
}

private func hasIPv6Loopback() -> Bool {
    let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    return withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
    } == 0
}
