import RelayTesting
import Synchronization
import Testing

@testable import APNs

@Suite struct CountingTests {
    private final class Counts: Sendable {
        let answers = Mutex<[(label: String, time: Duration?)]>([])

        func add(_ answer: CountedAnswer, _ time: Duration?) {
            let label = CountedAnswer.labels[answer.index]
            answers.withLock { $0.append(("\(label.status) \(label.reason)", time)) }
        }

        var labels: [String] { answers.withLock { $0.map(\.label) } }
        var areTimed: Bool { answers.withLock { $0.allSatisfy { $0.time.map { $0 > .zero } ?? false } } }
    }

    private func client(
        _ counts: Counts,
        change: (inout Client.Configuration) -> Void = { _ in }
    ) async throws -> Client {
        let apple = try await AppleSimulator.shared()
        var configuration = Client.configuration(of: apple)
        change(&configuration)
        return Client(configuration: configuration, token: try ProviderToken(of: apple), count: counts.add)
    }

    @Test func `no two answers have the same label, and the list has an end`() {
        let labels = CountedAnswer.labels.map { "\($0.status) \($0.reason)" }
        #expect(Set(labels).count == labels.count)
        #expect(labels.count < 64)
    }

    @Test(arguments: try await Row.all())
    func `each answer is counted under its status, and under its reason where that is known`(row: Row) async throws {
        let counts = Counts()
        _ = try await client(counts).send(to: freshToken(row.prefix))
        let isKnown = row.reason.flatMap { Rejection.Reason(rawValue: $0) } != nil
        let reason = row.status == 200 ? "" : isKnown ? row.reason ?? "" : "other"
        // One that is tried over a new connection has been answered twice.
        #expect(Set(counts.labels) == [row.status == 418 ? "other other" : "\(row.status) \(reason)"])
        #expect(counts.areTimed)
    }

    @Test(arguments: [
        Rejection(status: 299, word: "Unregistered"), Rejection(status: -1, word: ""),
        Rejection(status: 1_000, word: String(repeating: "a", count: 64)),
    ])
    func `a status that nobody expects has no label of its own`(rejection: Rejection) {
        let label = CountedAnswer.labels[CountedAnswer(rejection).index]
        #expect(label.status == "other")
        #expect(label.reason == "other")
    }

    @Test(arguments: [
        ("https://127.0.0.1:1", "0 connect"), ("https://no-such-host.invalid", "0 lookup"),
    ])
    func `an Apple that cannot be reached is counted with what is in the way`(
        origin: String,
        label: String
    ) async throws {
        let counts = Counts()
        _ = try await client(counts) { $0.origin = origin }.send(to: freshToken())
        #expect(Set(counts.labels) == [label])
    }

    @Test func `an Apple that nobody vouches for is counted as a fault of TLS`() async throws {
        let counts = Counts()
        _ = try await client(counts) { $0.certificateAuthorities = "/dev/null" }.send(to: freshToken())
        #expect(Set(counts.labels) == ["0 tls"])
    }

    @Test(arguments: [("c105", "0 connection"), ("4e5e2f", "0 stream")])
    func `a connection or a stream that ends is counted for each try`(prefix: String, label: String) async throws {
        let counts = Counts()
        _ = try await client(counts).send(to: freshToken(prefix))
        #expect(counts.labels == [label, label])
    }

    @Test func `no answer in time is counted as that`() async throws {
        let counts = Counts()
        let client = try await client(counts) { $0.deadline = .milliseconds(300) }
        _ = try await client.send(to: freshToken("0ff0"))
        // On a machine that is too busy to send it in time, too.
        #expect(["0 timeout", "0 queue", "0 connect"].contains(try #require(counts.labels.first)))
        #expect(counts.labels.count == 1)
    }

    @Test func `what waits is told apart from what is under way`() async throws {
        let counts = Counts()
        let client = try await client(counts) { $0.mostInFlight = 0 }
        async let outcome = client.send(to: freshToken())
        // Not an expectation: only keeps a broken client from hanging the suite for ever.
        let patience = ContinuousClock.now + .seconds(60)
        while client.traffic.queued == 0, .now < patience { await Task.yield() }
        #expect(client.traffic == Client.Traffic(queued: 1, inFlight: 0, connectionsOpened: 0))
        client.stop()
        #expect(try await outcome == .tryAgain(.stopping))
        #expect(client.traffic == Client.Traffic(queued: 0, inFlight: 0, connectionsOpened: 0))
        #expect(counts.labels.isEmpty)
    }

    @Test func `what is under way is told until it is answered`() async throws {
        let apple = try await AppleSimulator.shared()
        let client = try await client(Counts())
        let token = freshToken("401d200")
        async let outcome = client.send(to: token)
        _ = try await apple.firstRequest(for: token)
        #expect(client.traffic == Client.Traffic(queued: 0, inFlight: 1, connectionsOpened: 1))
        try await apple.perform("release \(token)")
        #expect(try await outcome == .accepted)
        #expect(client.traffic == Client.Traffic(queued: 0, inFlight: 0, connectionsOpened: 1))
    }

    @Test func `a provider token has an age from when it was made, and none before`() async throws {
        let clock = ManualClock(now: 1_700_000_000)
        let token = try await ProviderToken(of: AppleSimulator.shared(), clock: clock)
        #expect(token.age == nil)
        _ = try token.value()
        #expect(token.age == .zero)
        clock.advance(by: 90)
        clock.set(now: 0)
        #expect(token.age == .seconds(90))
    }
}
