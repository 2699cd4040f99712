import APNs
import Foundation
import RelayTesting
import Testing

/// What is asked of the client under one of the simulated Apple's scenarios.
private struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    /// How many of 50 pushes have to be accepted; the others may fail, but in time.
    let accepted: Int
    /// The most sockets that may be opened for them.
    let sockets: Int

    var testDescription: String { name }

    init(_ name: String, accepted: Int = 50, sockets: Int) {
        self.name = name
        self.accepted = accepted
        self.sockets = sockets
    }
}

@Suite(.severalAtATime) struct ScenarioTests {
    fileprivate static let scenarios = [
        Scenario("calm", sockets: 1),
        Scenario("goaway-graceful", sockets: 3),
        Scenario("goaway-graceful-always", sockets: 8),
        Scenario("goaway-mid-flight", sockets: 3),
        Scenario("goaway-lower", sockets: 3),
        Scenario("goaway-reason", sockets: 3),
        Scenario("goaway-calm", sockets: 3),
        Scenario("goaway-idle", sockets: 3),
        Scenario("reset-internal", sockets: 2),
        Scenario("reset-cancel", sockets: 2),
        Scenario("reset-calm", sockets: 3),
        Scenario("refused-once", sockets: 3),
        Scenario("one-stream-first", sockets: 1),
        Scenario("flip-on-rejection", sockets: 1),
        Scenario("slow", sockets: 1),
        Scenario("tcp-reset-mid-flight", sockets: 3),
        Scenario("tcp-reset-answers-lost", sockets: 3),
        Scenario("fin-mid-flight", sockets: 3),
        Scenario("fin-idle", sockets: 3),
        Scenario("tls-cut", sockets: 3),
        Scenario("accept-then-silent", sockets: 3),
        Scenario("silent-after-10", accepted: 10, sockets: 2),
        Scenario("silent-from-first", accepted: 40, sockets: 2),
        Scenario("wedge-expired", accepted: 49, sockets: 3),
        Scenario("wedge-internal", accepted: 47, sockets: 3),
        Scenario("shutdown-503", sockets: 3),
        // Nothing is accepted while these last.
        Scenario("goaway-refused-always", accepted: 0, sockets: 8),
        Scenario("refused-always", accepted: 0, sockets: 8),
        Scenario("silent-always", accepted: 0, sockets: 8),
        Scenario("tcp-reset-always", accepted: 0, sockets: 8),
        Scenario("tls-cut-always", accepted: 0, sockets: 8),
        Scenario("accept-then-silent-always", accepted: 0, sockets: 8),
        Scenario("endless-body", accepted: 0, sockets: 8),
        Scenario("body-10mb", accepted: 0, sockets: 8),
        Scenario("not-json", accepted: 0, sockets: 1),
    ]

    @Test(arguments: scenarios)
    fileprivate func `fifty pushes are each answered once and in time, and the next one after the fault is accepted`(
        scenario: Scenario
    ) async throws {
        let apple = try await AppleSimulator("--scenario", scenario.name)
        let client = try Client(of: apple) {
            $0.deadline = .seconds(8)
            $0.connectDeadline = .seconds(3)
            $0.patience = .seconds(4)
        }
        let pushes = try await withThrowingTaskGroup(of: (outcome: Outcome, time: Duration).self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let began = ContinuousClock.now
                    return (try await client.send(to: freshToken()), .now - began)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let outcomes = pushes.map(\.outcome)

        let counts = try await apple.counts()
        let taken = outcomes.count { $0 == .accepted }
        #expect(outcomes.count == 50)
        #expect(pushes.allSatisfy { $0.time <= .seconds(9) })
        #expect(taken >= scenario.accepted)
        #expect(counts.sockets <= scenario.sockets)

        // Each id was sent once: Apple may have it twice when nobody knew what became of the first try, never more.
        #expect(counts.accepted <= 2 * counts.accepted_ids)
        #expect(counts.accepted_ids >= taken)

        // A fault that lasted has used up the connections of ten seconds, which is more than one push can wait for.
        try await apple.perform("scenario calm")
        var tries = 1
        while try await client.send(to: freshToken()) != .accepted, tries <= 3 { tries += 1 }
        #expect(tries <= (scenario.accepted == 0 ? 3 : 1))
    }
}
