import Foundation
import RelayTesting
import Testing

@testable import Store

@Suite(.fewAtATime) struct EnduranceTests {
    @Test func `10,000 pushes leave descriptors and memory as they were after the first 2,000`() async throws {
        let apple = try await AppleSimulator("--quiet")
        let relay = try await RelayProgram(apple: apple)
        // Twenty for each: the burst of a subscription.
        var endpoints: [Endpoint] = []
        for _ in 0..<500 { endpoints.append(try await relay.subscribe(freshToken())) }
        let clients = try (0..<20).map { _ in try HTTPClient(relay.address) }

        func push(_ range: Range<Int>) async throws -> Int {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for (index, client) in clients.enumerated() {
                    group.addTask { [endpoints] in
                        var accepted = 0
                        for number in range where number % clients.count == index {
                            let text = #"{"title":"New Comment","body":"number \#(number)"}"#
                            let request = try Push.request(text, to: endpoints[number % endpoints.count])
                            if try await client.answer(to: request).status == 201 { accepted += 1 }
                        }
                        return accepted
                    }
                }
                return try await group.reduce(0, +)
            }
        }

        #expect(try await push(0..<2_000) == 2_000)
        let before = try Holding(relay.program.identifier)
        #expect(try await push(2_000..<10_000) == 8_000)
        let after = try Holding(relay.program.identifier)
        #expect(after.descriptors == before.descriptors)
        #expect(after.residentKilobytes - before.residentKilobytes < 4_096)
        let counts = try await apple.counts()
        #expect(counts.accepted == 10_000)
        #expect(counts.sockets == 1)
    }

    @Test func `an answer leaves within 9 seconds, though another process holds the database`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let endpoint = try await relay.subscribe(freshToken())
        let lock = try Connection(path: relay.folder.path("relay.sqlite"))
        try lock.execute("BEGIN IMMEDIATE", for: .check)
        let answers = try await withThrowingTaskGroup(of: (status: Int, time: Duration).self) { group in
            for number in 0..<8 {
                group.addTask {
                    let began = ContinuousClock.now
                    let text = #"{"title":"New Comment","body":"number \#(number)"}"#
                    return (try await relay.push(text, to: endpoint).status, .now - began)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try lock.execute("ROLLBACK", for: .check)
        #expect(answers.allSatisfy { $0.time <= .seconds(9) })
        #expect(Set(answers.map(\.status)).isSubset(of: [201, 503]))
        #expect(try await relay.push(to: endpoint).status == 201)
    }
}
