import Glibc
import Testing

@testable import HTTPServer

@Suite struct DescriptorTests {
    @Test func `out of descriptors, accepting rests and goes on when there are some again`() async {
        // In a process of its own, because the limit is the whole process's.
        await #expect(processExitsWith: .success) {
            try await offPool {
                let server = try Server(address: loopback, bodyRule: Routes.bodyRule, handler: { Routes.answer($0) })
                let clients = try (0..<3).map { _ in try Client(server.boundAddress) }
                for client in clients { client.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n") }
                let lowest = dup(0)
                close(lowest)

                allowDescriptors(below: lowest + 1)
                server.start()
                #expect(try clients[0].reply().text == "ok")
                // The server's end of the first connection closes, and its number serves the second.
                clients[0].endSending()
                #expect(try clients[1].reply().text == "ok")
                // Nothing closes this time: the server has to look again by itself.
                allowDescriptors(below: lowest + 2)
                #expect(try clients[2].reply().text == "ok")
                server.stop(within: .zero)
            }
        }
    }
}

/// Descriptors are the lowest free numbers, so the limit says how many are left.
private func allowDescriptors(below limit: Int32) {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limits = rlimit()
    getrlimit(resource, &limits)
    limits.rlim_cur = rlim_t(limit)
    setrlimit(resource, &limits)
}
