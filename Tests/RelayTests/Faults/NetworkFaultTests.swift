import Foundation
import Glibc
import RelayCore
import RelayTesting
import Testing

/// A network and a resolver of the test's own, with a simulated Apple in it; gone when its processes are.
private struct OwnNetwork {
    let apple: AppleSimulator
    let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        let script = #"ip link set lo up && exec "$0" "$@""#
        apple = try await AppleSimulator(launcher: ["/usr/bin/unshare", "-n", "/bin/sh", "-c", script])
        try folder.write("nameserver 127.0.0.53\noptions timeout:10 attempts:1\n", to: "resolv.conf")
        try folder.write("", to: "hosts")
        try folder.write("hosts: files dns\n", to: "nsswitch.conf")
    }

    /// A relay in it, which knows Apple by a name; it is reached through a file, since no test is in that network.
    func relay() async throws -> RelayProgram {
        let files = ["resolv.conf", "hosts", "nsswitch.conf"]
            .map { "mount --bind '\(folder.path($0))' /etc/\($0)" }
            .joined(separator: " && ")
        return try await RelayProgram(
            apple: apple,
            in: folder,
            [
                .listenAddress: "unix:\(folder.path("relay.sock"))",
                .apnsURL: "https://apple.test:\(apple.ready.port)",
            ],
            preparation: files,
            launcher: ["/usr/bin/nsenter", "-t", "\(apple.process)", "-n", "/usr/bin/unshare", "-m"]
        )
    }

    /// Runs a command in the network.
    func run(_ command: String...) async throws {
        try await RelayTests.run(["/usr/bin/nsenter", "-t", "\(apple.process)", "-n"] + command)
    }

    /// Gives Apple's name an address, or takes it away.
    ///
    /// The file stays the same one, as it is mounted.
    func name(_ address: String?) throws {
        let line = address.map { "\($0) apple.test\n" } ?? ""
        let file = try FileHandle(forWritingTo: URL(filePath: folder.path("hosts")))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(line.utf8))
        try file.close()
    }
}

/// Apple out of reach (hostile faults F-12, F-13 and F-16): each push is 502 in time, and nothing has to be restarted.
@Suite(.fewAtATime, .needsRoot) struct NetworkFaultTests {
    /// Pushes until Apple is reached again: the relay waits a little longer after each try that failed.
    private func recover(_ relay: RelayProgram, _ endpoint: Endpoint) async throws {
        var number = 100
        try await eventually {
            number += 1
            return try await relay.push(Push.comment(number), to: endpoint).status == 201
        }
    }

    private func push(_ relay: RelayProgram, _ endpoint: Endpoint, _ number: Int) async throws -> (Int, Duration) {
        let began = ContinuousClock.now
        return (try await relay.push(Push.comment(number), to: endpoint).status, .now - began)
    }

    @Test(arguments: [true, false])
    func `F-12 a name that cannot be resolved is 502 in time, and is looked up anew`(isRefused: Bool) async throws {
        let network = try await OwnNetwork()
        // Nobody listens on the resolver's port; or the question is dropped on its way there.
        if !isRefused {
            try await network.run("/usr/sbin/iptables", "-A", "INPUT", "-p", "udp", "--dport", "53", "-j", "DROP")
        }
        let relay = try await network.relay()
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        let (status, time) = try await push(relay, endpoint, 1)
        #expect(status == 502)
        #expect(time < .seconds(9))
        let cause = try await relay.logged("apple_connection_replaced").fields["cause"]
        #expect(cause?.contains(isRefused ? "resolve host name" : "Timeout was reached") == true, "\(cause ?? "")")
        #expect(try await relay.isWell())
        #expect(try relay.unreadOnDisk() == [0])

        try network.name("127.0.0.1")
        try await recover(relay, endpoint)
        #expect(try await network.apple.requests(for: device).map(\.badge) == [1])
        #expect(await relay.stop() == 0)
    }

    @Test(arguments: ["REJECT", "DROP"])
    func `F-13 an Apple that refuses connections, or drops them, is 502 in time, and the relay recovers`(
        rule: String
    ) async throws {
        let network = try await OwnNetwork()
        try network.name("127.0.0.1")
        let filter = ["INPUT", "-p", "tcp", "--dport", "\(network.apple.ready.port)", "-j", rule]
        try await RelayTests.run(
            ["/usr/bin/nsenter", "-t", "\(network.apple.process)", "-n", "/usr/sbin/iptables", "-A"] + filter
        )
        let relay = try await network.relay()
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        let (status, time) = try await push(relay, endpoint, 1)
        #expect(status == 502)
        #expect(time < .seconds(9))
        #expect(try await relay.isWell())
        #expect(try relay.unreadOnDisk() == [0])

        try await network.run("/usr/sbin/iptables", "-F")
        try await recover(relay, endpoint)
        #expect(try await network.apple.requests(for: device).map(\.badge) == [1])
        #expect(await relay.stop() == 0)
    }

    @Test func `F-16 a connection that something on the way has forgotten costs a push four seconds and no more`()
        async throws
    {
        let network = try await OwnNetwork()
        try network.name("127.0.0.1")
        let relay = try await network.relay()
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        #expect(try await relay.push(to: endpoint).status == 201)
        // The packets of the connection that is open are dropped from now on, those of another are not.
        let open = try #require(try port(of: relay, to: network.apple.ready.port))
        try await network.run("/usr/sbin/iptables", "-A", "INPUT", "-p", "tcp", "--sport", "\(open)", "-j", "DROP")
        try await network.run("/usr/sbin/iptables", "-A", "INPUT", "-p", "tcp", "--dport", "\(open)", "-j", "DROP")
        let (status, time) = try await push(relay, endpoint, 1)
        #expect(status == 201)
        #expect(time < .seconds(9))
        #expect(try await relay.push(Push.comment(2), to: endpoint).status == 201)
        #expect(try await network.apple.requests(for: device).map(\.badge) == [1, 2, 3])
    }

    /// The relay's own port of its connection to Apple, from the kernel's table: addresses are hex there, 01 is open.
    private func port(of relay: RelayProgram, to apple: Int) throws -> Int? {
        let table = try String(contentsOfFile: "/proc/\(relay.program.identifier)/net/tcp", encoding: .utf8)
        let wanted = ":" + String(0x1_0000 + apple, radix: 16, uppercase: true).dropFirst()
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ")
            guard fields.count > 3, fields[2].hasSuffix(wanted), fields[3] == "01" else { continue }
            return Int(fields[1].suffix(4), radix: 16)
        }
        return nil
    }
}
