import Foundation
import Glibc
import RelayCore
import RelayTesting
import Testing

/// A disk that is full, broken or read-only under a running relay (hostile faults F-25 to F-29, Z-02).
@Suite(.fewAtATime) struct DiskFaultTests {
    /// One registered device that has had a push, before the fault.
    private struct Life {
        let apple: AppleSimulator
        let relay: RelayProgram
        let device = freshToken()
        let endpoint: Endpoint

        init(_ apple: AppleSimulator, _ relay: RelayProgram) async throws {
            self.apple = apple
            self.relay = relay
            endpoint = try await relay.subscribe(device)
            #expect(try await relay.push(to: endpoint).status == 201)
        }

        /// What holds while the database takes no writes, or where it goes on `counting` none that have to last.
        func expectFault(counting: Bool = false) async throws {
            let json = #"{"device_token":"\#(freshToken())"}"#
            let refused = try await relay.answer("POST", "/subscribe", json: json)
            #expect(refused.status == 503)
            #expect(refused.values("Retry-After") == ["10"])
            #expect(try await relay.answer("POST", endpoint.settings("unread"), json: #"{"count":7}"#).status == 503)
            #expect(try await relay.answer("DELETE", endpoint.settings()).status == 503)
            #expect(try await relay.push(Push.comment(1), to: endpoint).status == 201)
            if !counting { try await relay.logged("badge_not_counted") }
            // Reads go on: whoever does not exist is told so, and nobody else is.
            #expect(try await relay.post([], to: "/wp/absent").status == 404)
            #expect(try await relay.answer("GET", "/healthz", token: nil).status == 503)
        }

        /// What holds once it does again, with no restart.
        func expectRecovery(counting: Bool = false) async throws {
            try await eventually { try await relay.isWell() }
            #expect(try await relay.push(Push.comment(2), to: endpoint).status == 201)
            let other = freshToken()
            let second = try await relay.subscribe(other)
            #expect(try await relay.push(to: second).status == 201)
            // The alert of the time between went out without one, and was not counted, unless only syncing failed.
            #expect(try await apple.requests(for: device).map(\.badge) == (counting ? [1, 2, 3] : [1, nil, 2]))
            #expect(try await apple.requests(for: other).map(\.badge) == [1])
            #expect(await relay.stop() == 0)
        }
    }

    @Test(.needsRoot)
    func `F-25 F-26 a full disk refuses what has to be kept, lets alerts go out, and is said by healthz`() async throws
    {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        let disk = try SmallDisk(in: folder, kilobytes: 400)
        let relay = try await RelayProgram(
            apple: apple,
            in: folder,
            [.databasePath: disk.path("relay.sqlite")],
            preparation: disk.preparation,
            launcher: SmallDisk.launcher
        )
        let life = try await Life(apple, relay)
        try disk.fill(of: relay.program)
        try await life.expectFault()
        // It goes on asking the disk, and goes on saying what that says.
        #expect(try await !relay.isWell())
        try disk.empty(of: relay.program)
        try await life.expectRecovery()
    }

    @Test func `F-27 a limit on the size of files is a full disk, and no end`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let life = try await Life(apple, relay)
        // The colon leaves the hard limit alone, so that anybody may take it back.
        try await run(["/usr/bin/prlimit", "--pid", "\(relay.program.identifier)", "--fsize=1024:"])
        try await life.expectFault()
        try await run(["/usr/bin/prlimit", "--pid", "\(relay.program.identifier)", "--fsize=unlimited:"])
        try await life.expectRecovery()
    }

    @Test(
        .needsRoot,
        arguments: [
            ("F-28 no write", "pwrite64", "EIO", false), ("F-28 no sync", "fdatasync,fsync", "EIO", true),
            // A remount that makes a file system read-only is refused while a file on it is open for writing. What does
            // it is the kernel, after an error of the disk: then every write fails like this.
            ("F-29 read-only", "pwrite64,ftruncate,fallocate", "EROFS", false),
        ]
    )
    func `a disk that fails refuses what has to be kept, lets alerts go out, and is said by healthz`(
        name: String,
        calls: String,
        error: String,
        counting: Bool
    ) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let life = try await Life(apple, relay)
        let fault = try await FailingCalls(calls, error, of: relay.program)
        try await life.expectFault(counting: counting)
        await fault.end()
        try await life.expectRecovery(counting: counting)
    }
}

/// Runs a program to its end and expects that it does its job.
func run(_ command: [String]) async throws {
    let program = try Program(command[0], Array(command.dropFirst()))
    let code = await program.end()
    try #require(code == 0, "\(command): \(program.errors.joined(separator: "\n"))")
}

/// System calls of a running program that fail, until they are let work again.
final class FailingCalls: Sendable {
    private let tracer: Program

    init(_ calls: String, _ error: String, of program: Program) async throws {
        let process = program.identifier
        let arguments = [
            "-f", "-o", "/dev/null", "-p", "\(process)", "-e", "trace=\(calls)", "-e", "inject=\(calls):error=\(error)",
        ]
        let tracer = try Program("/usr/bin/strace", arguments)
        self.tracer = tracer
        try await eventually {
            try #require(!tracer.hasEnded, "\(tracer.errors.joined(separator: "\n"))")
            return try Self.isTraced(process, by: tracer.identifier)
        }
    }

    /// Whether every thread of the program is under the tracer's eyes.
    private static func isTraced(_ process: Int32, by tracer: Int32) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").allSatisfy { thread in
            let status = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/status", encoding: .utf8)
            // A thread that has just ended is no matter.
            return status?.contains("TracerPid:\t\(tracer)\n") ?? true
        }
    }

    /// Lets the calls work again.
    func end() async {
        tracer.signal(SIGTERM)
        _ = await tracer.end()
    }
}
