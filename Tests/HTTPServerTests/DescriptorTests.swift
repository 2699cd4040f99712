import Glibc
import Testing

@testable import HTTPServer

@Suite struct DescriptorTests {
    @Test(arguments: [(4_096, 1_024), (1_088, 1_024), (1_087, 1_023), (256, 192), (64, 1), (0, 1), (.max, 1_024)])
    func `connections leave 64 descriptors to the rest of the process`(descriptors: Int, connections: Int) {
        #expect(Limits().fitting(descriptors: descriptors).connections == connections)
    }

    @Test func `a connection that there is no descriptor for is told from one that is not there`() async {
        // In a process of its own, because the limit is the whole process's.
        await #expect(processExitsWith: .success) {
            let listener = try Listener(loopback)
            let client = try Client(listener.address)
            // Below every number that is taken: which those are, threads of the process's runtime may change at any time.
            #expect(limited(to: 0, listener) == "exhausted")
            #expect(limited(to: 1_024, listener) == "socket")
            #expect(limited(to: 1_024, listener) == "none")
            withExtendedLifetime(client) {}
        }
    }
}

/// What accepting comes to while the process may have no descriptor from `limit` on.
private func limited(to limit: Int32, _ listener: borrowing Listener) -> String {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limits = rlimit()
    getrlimit(resource, &limits)
    let before = limits
    limits.rlim_cur = rlim_t(limit)
    setrlimit(resource, &limits)
    defer {
        // Only for as long as it takes: nothing else in a process can do without for long.
        var before = before
        setrlimit(resource, &before)
    }
    switch listener.accept() {
    case .socket: return "socket"
    case .none: return "none"
    case .gone: return "gone"
    case .exhausted: return "exhausted"
    }
}
