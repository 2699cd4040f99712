import Foundation
import Glibc
import RelayCore
import RelayTesting
import Testing

/// A log that nobody reads, or that there is no room for (hostile faults F-43 and F-44).
@Suite(.fewAtATime) struct LogFaultTests {
    /// Enough lines to fill a pipe of 64 KB several times.
    private func talk(_ relay: RelayProgram, _ requests: Int) async throws {
        let client = try HTTPClient(relay.address)
        for _ in 0..<requests {
            let target = "/" + String(repeating: "x", count: 100)
            #expect(try await client.answer(to: HTTPRequest("GET", target)).status == 404)
        }
    }

    @Test func `F-43 a log that nobody reads holds up no request, and is read on where it stopped`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple, [.logLevel: "debug"])
        let endpoint = try await relay.subscribe(freshToken())
        relay.program.stopReading()
        try await talk(relay, 2_000)
        #expect(try await relay.push(to: endpoint).status == 201)
        #expect(try await relay.isWell())

        relay.program.readOn()
        try await relay.logged("push_accepted")
        #expect(try await relay.push(Push.comment(1), to: endpoint).status == 201)
        #expect(await relay.stop() == 0)
        // All of them found room.
        #expect(relay.program.lines.count { LogLine($0)?.event == "refused" } == 2_000)
        #expect(!relay.program.lines.contains { LogLine($0)?.event == "log_lines_lost" })
    }

    @Test func `F-43 what a blocked log has no room for is counted`() async throws {
        let relay = try await RelayProgram(apple: .shared(), [.logLevel: "debug"])
        relay.program.stopReading()
        try await talk(relay, 6_000)
        relay.program.readOn()
        let lost = try await relay.logged("log_lines_lost")
        #expect(lost.fields["level"] == "error")
        #expect(await relay.stop() == 0)
        let said = relay.program.lines.count { LogLine($0)?.event == "refused" }
        #expect(said + (try #require(lost.fields["lines"].flatMap { Int($0) })) == 6_000)
        #expect(relay.program.lines.allSatisfy { LogLine($0) != nil })
    }

    @Test func `F-43 a relay whose log nobody reads still ends`() async throws {
        let relay = try await RelayProgram(apple: .shared(), [.logLevel: "debug"])
        let endpoint = try await relay.subscribe(freshToken())
        relay.program.stopReading()
        try await talk(relay, 2_000)
        #expect(try await relay.push(to: endpoint).status == 201)
        relay.program.signal(SIGTERM)
        // Its process is gone while its last lines are still in the pipe.
        try await eventually { relay.program.hasEnded }
        relay.program.readOn()
        #expect(await relay.program.end() == 0)
        #expect(try relay.unreadOnDisk() == [1])
    }

    @Test(.needsRoot) func `F-44 a full disk under the log stops nothing, and with room the log goes on`() async throws
    {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        let disk = try SmallDisk(in: folder, kilobytes: 64)
        let relay = try await RelayProgram(
            apple: apple,
            in: folder,
            [.listenAddress: "unix:\(folder.path("relay.sock"))", .logLevel: "debug"],
            preparation: disk.preparation,
            launcher: SmallDisk.launcher,
            log: disk.path("log")
        )
        let endpoint = try await relay.subscribe(freshToken())
        try disk.fill(of: relay.program)
        try await talk(relay, 1_000)
        #expect(try await relay.push(to: endpoint).status == 201)
        #expect(try await relay.isWell())

        try disk.empty(of: relay.program)
        #expect(try await relay.push(Push.comment(1), to: endpoint).status == 201)
        try await eventually { try disk.text("log", of: relay.program).contains("event=push_accepted") }
        #expect(try disk.text("log", of: relay.program).contains("event=log_lines_lost lines="))
        #expect(await relay.stop() == 0)
    }
}
