import Foundation
import Glibc
import RelayCore
import RelayTesting
import Synchronization
import Testing

/// A user who has nothing else on this machine; root is not limited.
private struct OtherUser {
    private static let count = Atomic<Int32>(0)

    /// Never one for two tests of a run: each would have the other's threads.
    let number = uid_t(200_000 + getpid() * 16 + count.add(1, ordering: .relaxed).oldValue % 16)

    var launcher: [String] {
        ["/usr/bin/setpriv", "--reuid", "\(number)", "--regid", "\(number)", "--clear-groups"]
    }
}

/// A limit that leaves no thread to be had (hostile fault F-39): `TasksMax`, or a user's processes.
@Suite(
    .fewAtATime,
    .needsRoot,
    .enabled("needs a folder of the build that every user can reach") {
        // By way of a shell: the launcher's own call has its privileges until it is done.
        let launcher = OtherUser().launcher + ["/bin/sh", "-c", "exec \"$0\" \"$@\""]
        return try await RelayProgram.run(["--version"], launcher: launcher).code == 0
    }
)
struct ThreadFaultTests {
    private let user = OtherUser()
    private let folder: TemporaryFolder
    private let apple: AppleSimulator
    private let key: String

    init() async throws {
        folder = try TemporaryFolder()
        apple = try await AppleSimulator.shared()
        key = try folder.write(String(contentsOfFile: apple.ready.key, encoding: .utf8), to: "AuthKey.p8")
        for path in [folder.url.path, key] { try #require(chown(path, user.number, user.number) == 0) }
    }

    private func launcher(threads: Int? = nil) -> [String] {
        let limit = threads.map { ["/usr/bin/prlimit", "--nproc=\($0):"] } ?? []
        return limit + user.launcher
    }

    private func relay() async throws -> RelayProgram {
        try await RelayProgram(apple: apple, in: folder, [.apnsKeyFile: key], launcher: launcher())
    }

    /// Sets the limit of the running relay, as its own user: it takes no privilege to lower one's own and lift it again.
    private func limit(_ relay: RelayProgram, to threads: String) async throws {
        let command = launcher() + ["/usr/bin/prlimit", "--pid", "\(relay.program.identifier)", "--nproc=\(threads):"]
        try await run(command)
    }

    private func threads(of relay: RelayProgram) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(relay.program.identifier)/task").count
    }

    @Test func `F-39 a relay that gets too few threads to start says so and ends`() async throws {
        let relay = try await relay()
        let enough = try threads(of: relay)
        #expect(await relay.stop() == 0)
        var environment = RelayProgram.environment(apple, in: folder)
        environment[.apnsKeyFile] = key
        for threads in 1..<enough {
            let run = try await RelayProgram.run(["serve"], environment, launcher: launcher(threads: threads))
            #expect(run.code == 1, "\(threads) threads")
            #expect(run.errors.count == 1, "\(run.errors)")
            #expect(run.errors.first?.contains(/Resource temporarily unavailable[:;] (raise|see that)/) == true)
        }
    }

    @Test func `F-39 without a thread for Apple a push is 503 and not counted, and the relay recovers with the limit`()
        async throws
    {
        let relay = try await relay()
        // Before its first request, for which it needs no thread that it does not have.
        try await limit(relay, to: "\(threads(of: relay))")
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        for number in 0..<3 {
            let answer = try await relay.push(Push.comment(number), to: endpoint)
            #expect(answer.status == 503)
            #expect(answer.values("Retry-After") == ["10"])
        }
        #expect(try await relay.logged("push_failed").fields["cause"]?.contains("no thread") == true)
        // All that needs no Apple goes on.
        #expect(try await relay.isWell())
        #expect(try await relay.answer("POST", endpoint.settings("badges"), json: #"{"enabled":true}"#).status == 204)
        _ = try await relay.subscribe(freshToken())

        try await limit(relay, to: "1000")
        #expect(try await relay.push(Push.comment(4), to: endpoint).status == 201)
        #expect(try await apple.requests(for: device).map(\.badge) == [1])
        #expect(await relay.stop() == 0)
    }

    @Test func `F-39 a relay that has its connection needs no further thread, however much comes at once`() async throws
    {
        let relay = try await relay()
        let endpoint = try await relay.subscribe(freshToken())
        #expect(try await relay.push(to: endpoint).status == 201)
        let threads = try threads(of: relay)
        try await limit(relay, to: "\(threads)")
        // Fifteen at once find their threads, since none is made for them.
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<15 {
                group.addTask { try await relay.push(Push.comment(number), to: endpoint).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers) == [201])
        #expect(try self.threads(of: relay) == threads)
        #expect(await relay.stop() == 0)
    }
}
