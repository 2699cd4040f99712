import Foundation
import RelayCore
import RelayTesting
import Testing

/// A wall clock that jumps under a running relay (hostile faults F-22 to F-24); libfaketime turns it.
@Suite(
    .fewAtATime,
    .enabled("needs Debian's faketime") { TurnedClock.library != nil }
)
struct ClockFaultTests {
    @Test(arguments: [(2, "+2h"), (-2, "-2h")])
    func `F-22 F-23 a jump of two hours changes neither the provider token nor a limit, and nobody notices`(
        hours: Double,
        offset: String
    ) async throws {
        let apple = try await AppleSimulator.shared()
        let clock = try TurnedClock("+0")
        let relay = try await RelayProgram(apple: apple, arguments: [], others: clock.environment)
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        let began = ContinuousClock.now
        for number in 0..<10 { #expect(try await relay.push(Push.comment(number), to: endpoint).status == 201) }

        try clock.turn(to: offset)
        #expect(try await relay.answer("POST", endpoint.settings("unread"), json: #"{"count":3}"#).status == 204)
        let other = try await relay.subscribe(freshToken())
        #expect(try await relay.push(to: other).status == 201)
        var said: [LogLine] = []
        try await eventually {
            said = relay.program.lines.compactMap { LogLine($0) }.filter { $0.event == "subscribed" }
            return said.count >= 2
        }
        let times = try said.map { line in
            try Date(#require(line.fields["time"]), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
        // The clock did jump: otherwise this would show nothing.
        try #require(times.count == 2)
        #expect(abs(times[1].timeIntervalSince(times[0]) - hours * 3_600) < 60)

        var accepted = 10
        for number in 10..<60 where try await relay.push(Push.comment(number), to: endpoint).status == 201 {
            accepted += 1
        }
        // A limiter that went by the wall clock would have filled up, or let nobody through.
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        #expect(accepted >= 20 && Double(accepted) <= 20 + seconds / 2 + 1)

        try clock.turn(to: "+0")
        #expect(try await relay.push(Push.comment(100), to: other).status == 201)
        #expect(Set(try await apple.requests(for: device).map(\.providerToken)).count == 1)
        #expect(try await relay.isWell())
        #expect(await relay.stop() == 0)
    }

    @Test(arguments: ["@1970-01-02 00:00:00", "@2106-02-08 00:00:00"])
    func `F-24 a clock that is decades off at the start is Apple's 403, a 502 that names it, and no row's end`(
        time: String
    ) async throws {
        let apple = try await AppleSimulator.shared()
        let clock = try TurnedClock(time)
        let relay = try await RelayProgram(apple: apple, arguments: [], others: clock.environment)
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        for number in 0..<3 { #expect(try await relay.push(Push.comment(number), to: endpoint).status == 502) }
        let line = try await relay.logged("apple_refuses_configuration")
        #expect(line.fields["remedy"]?.contains("clock") == true)
        #expect(try relay.unreadOnDisk() == [0])
        #expect(try await relay.isWell())
        #expect(await relay.stop() == 0)

        // With the right clock a new token is made 20 minutes after the last, as the tests of the token show. Whoever
        // does not want to wait forgets that there was one.
        try FileManager.default.removeItem(atPath: relay.folder.path("relay.sqlite.provider-token"))
        let restarted = try await RelayProgram(apple: apple, in: relay.folder)
        #expect(try await restarted.push(Push.comment(9), to: endpoint).status == 201)
        #expect(try await apple.requests(for: device).last?.badge == 1)
    }
}

/// A wall clock for one program, which can be turned while it runs; its uptime goes on as it is.
private struct TurnedClock {
    private let folder: TemporaryFolder

    /// Debian's, on any of its architectures.
    static let library: String? = {
        let libraries = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        return libraries.map { "/usr/lib/\($0)/faketime/libfaketime.so.1" }
            .first { FileManager.default.fileExists(atPath: $0) }
    }()

    init(_ time: String) throws {
        folder = try TemporaryFolder()
        try turn(to: time)
    }

    func turn(to time: String) throws {
        // By renaming, so that nobody reads half of it.
        try Data("\(time)\n".utf8).write(to: folder.url.appending(path: "time"), options: .atomic)
    }

    var environment: [String: String] {
        [
            "LD_PRELOAD": Self.library ?? "",
            "FAKETIME_TIMESTAMP_FILE": folder.path("time"),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        ]
    }
}
