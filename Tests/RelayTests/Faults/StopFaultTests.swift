import Foundation
import Glibc
import RelayCore
import RelayTesting
import Testing

@testable import Store

/// Signals that end the relay, whatever it is doing (hostile faults F-08 to F-11).
@Suite(.fewAtATime) struct StopFaultTests {
    @Test func `F-08 an idle relay ends within a second, with all of the log in its database`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        _ = try await relay.subscribe(freshToken())
        #expect(await relay.stop() == 0)
        // By its own clock: a busy machine may take its time to start threads of the test.
        let times = try await [relay.logged("stopping"), relay.logged("stopped")].map { line in
            try Date(
                #require(line.fields["time"]),
                strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true)
            )
        }
        #expect(times[1].timeIntervalSince(times[0]) < 1)
        #expect(!FileManager.default.fileExists(atPath: relay.folder.path("relay.sqlite-wal")))
    }

    @Test(arguments: [200, 503])
    func `F-09 fifty pushes in flight at the signal are all answered, and those that failed are not counted`(
        status: Int
    ) async throws {
        let apple = try await AppleSimulator("--quiet")
        let relay = try await RelayProgram(apple: apple)
        let devices = (0..<5).map { _ in freshToken("401d\(status)") }
        var endpoints: [Endpoint] = []
        for device in devices { endpoints.append(try await relay.subscribe(device)) }
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<50 {
                let endpoint = endpoints[number % 5]
                group.addTask { try await relay.push(Push.comment(number), to: endpoint).status }
            }
            try await eventually { try relay.unread(endpoints) == [10, 10, 10, 10, 10] }
            relay.program.signal(SIGTERM)
            try await relay.logged("stopping")
            // One stream is open at first and each acceptance opens more, so they reach Apple one after the other.
            let releasing = Task {
                while !Task.isCancelled {
                    for device in devices { try? await apple.perform("release \(device)") }
                }
            }
            defer { releasing.cancel() }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 50)
        #expect(await relay.program.end() == 0)
        #expect(Set(answers) == [status == 200 ? 201 : 502])
        #expect(try relay.unreadOnDisk().reduce(0, +) == (status == 200 ? 50 : 0))
    }

    /// Pushes that are complete only when the others are over have less time than Apple takes.
    @Test func `F-09 what Apple keeps beyond the end of the grace period takes its badge back before the end`()
        async throws
    {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken("0ff0")
        let early = try await relay.subscribe(device)
        var late: [(client: HTTPClient, rest: [UInt8])] = []
        for number in 0..<10 {
            let endpoint = try await relay.subscribe(freshToken("0ff0"))
            let octets = try Push.request(Push.comment(number), to: endpoint).octets
            let client = try HTTPClient(relay.address)
            try await client.send(Array(octets.dropLast(10)))
            late.append((client, Array(octets.suffix(10))))
        }
        async let answer = relay.push(to: early)
        _ = try await apple.firstRequest(for: device)
        relay.program.signal(SIGTERM)
        try await relay.logged("stopping")
        // Apple gets 8 s of the 10 s that a stop takes.
        #expect(try await answer.status == 502)
        for (client, rest) in late { try await client.send(rest) }
        #expect(await relay.program.end() == 0)
        #expect(try await relay.logged("stopped").fields["finished"] == "false")
        #expect(try relay.unreadOnDisk() == [Int](repeating: 0, count: 11))
        #expect(!relay.program.lines.contains { $0.contains("badge_not_taken_back") })
    }

    @Test(arguments: StopSignal.allCases, StopSignal.allCases)
    func `F-10 a second signal ends the relay at once, and the next start finds everything`(
        first: StopSignal,
        second: StopSignal
    ) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken("0ff0")
        let endpoint = try await relay.subscribe(device)
        async let answer = relay.push(to: endpoint)
        _ = try await apple.firstRequest(for: device)
        relay.program.signal(first.number)
        try await relay.logged("stopping")
        relay.program.signal(second.number)
        #expect(await relay.program.end() == 128 + second.number)
        _ = try? await answer
        #expect(!relay.program.lines.contains { LogLine($0)?.event == "stopped" })

        let restarted = try await RelayProgram(apple: apple, in: relay.folder)
        try await apple.perform("answer \(device) 200")
        #expect(try await restarted.push(to: endpoint).status == 201)
        #expect(try relay.rows("PRAGMA integrity_check") == ["ok"])
    }

    @Test(arguments: [SIGPIPE, SIGXFSZ, SIGHUP])
    func `F-11 a signal that asks for no end ends nothing`(signal: Int32) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let endpoint = try await relay.subscribe(freshToken())
        relay.program.signal(signal)
        #expect(try await relay.push(to: endpoint).status == 201)
        #expect(await relay.stop() == 0)
    }
}
