import Foundation
import RelayTesting
import Testing

@testable import APNs

@Suite struct ClientTests {
    @Test func `Apple finds nothing wrong with a request and sees each header once`() async throws {
        let apple = try await AppleSimulator.shared()
        let token = freshToken()
        let expiration = Int64(Date.now.timeIntervalSince1970) + 3_600
        let outcome = try await Client(of: apple).send(to: token, collapseID: "one-banner", expiration: expiration)
        #expect(outcome == .accepted)

        let request = try #require(await apple.requests(for: token).first)
        #expect(request.path == "/3/device/\(token)")
        #expect(request.headers["authorization"] == "valid")
        #expect(request.headers["apns-topic"] == apple.ready.topic)
        #expect(request.headers["apns-push-type"] == "alert")
        #expect(request.headers["apns-priority"] == "10")
        #expect(request.headers["apns-expiration"] == "\(expiration)")
        #expect(request.headers["apns-collapse-id"] == "one-banner")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["apns-id"]?.count == 36)
        #expect(request.payload == #"{"aps":{"alert":{"body":"vinz liked your post","title":"New Like"}}}"#)
        #expect(request.remarks == [])
    }

    @Test func `an expiration of 0 is sent as 0 and no collapse id as no header`() async throws {
        let apple = try await AppleSimulator.shared()
        let token = freshToken()
        #expect(try await Client(of: apple).send(to: token) == .accepted)
        let request = try #require(await apple.requests(for: token).first)
        #expect(request.headers["apns-expiration"] == "0")
        #expect(request.headers["apns-collapse-id"] == nil)
    }

    @Test(arguments: try await Row.all())
    func `every status and reason, known or not, has an outcome`(row: Row) async throws {
        let apple = try await AppleSimulator.shared()
        let outcome = try await Client(of: apple).send(to: freshToken(row.prefix))
        #expect(outcome.kind == row.expected)
        if row.status != 200 {
            #expect(outcome.rejection?.status == row.status)
            #expect(outcome.rejection?.word == row.reason)
        }
    }

    @Test func `the table of the simulated Apple has every reason that is known here`() async throws {
        let listed = Set(try await Row.all().compactMap(\.reason))
        #expect(listed.subtracting(Rejection.Reason.allCases.map(\.rawValue)) == ["SomethingNew"])
        #expect(Set(Rejection.Reason.allCases.map(\.rawValue)).isSubset(of: listed))
    }

    @Test func `a dead token comes with the time in milliseconds since when it is dead`() async throws {
        let apple = try await AppleSimulator.shared()
        let before = Int64(Date.now.timeIntervalSince1970 * 1_000)
        let outcome = try await Client(of: apple).send(to: freshToken("dead"))
        let timestamp = try #require(outcome.rejection?.timestamp)
        #expect(timestamp >= before - 1_000)
        #expect(timestamp < before + 600_000)
    }

    @Test(arguments: [
        ("0bad0", 500, Row.Kind.tryAgain), ("0bad1", 400, .tryAgain), ("0bad2", 403, .misconfigured),
        ("0bad3", 410, .deviceGone), ("0bad5", 400, .tryAgain), ("0bad9", 400, .tryAgain), ("0bada", 400, .tryAgain),
        ("0badb", 301, .tryAgain), ("0badc", 400, .tryAgain),
    ])
    func `an answer that cannot be read is decided by its status`(
        prefix: String,
        status: Int,
        kind: Row.Kind
    ) async throws {
        let apple = try await AppleSimulator.shared()
        let outcome = try await Client(of: apple).send(to: freshToken(prefix))
        #expect(outcome.kind == kind)
        #expect(outcome.rejection?.status == status)
        #expect(outcome.rejection?.reason == nil)
    }

    @Test(arguments: ["0bad6", "0bad7", "0bad8", "0bade"])
    func `a timestamp that is none is no trap`(prefix: String) async throws {
        let apple = try await AppleSimulator.shared()
        let outcome = try await Client(of: apple).send(to: freshToken(prefix))
        #expect(outcome.kind == .deviceGone)
        #expect(outcome.rejection?.reason == .unregistered)
    }

    @Test func `an acceptance with a body that says otherwise is an acceptance`() async throws {
        let apple = try await AppleSimulator.shared()
        #expect(try await Client(of: apple).send(to: freshToken("0badd")) == .accepted)
    }

    @Test func `a notification is given 8 seconds, 3 of them to connect`() {
        let configuration = Client.Configuration(origin: Environment.production.origin, topic: "org.example.app")
        #expect(configuration.deadline == .seconds(8))
        #expect(configuration.connectDeadline == .seconds(3))
    }

    @Test func `an answer that does not come is given up at the deadline`() async throws {
        let apple = try await AppleSimulator.shared()
        let client = try Client(of: apple) { $0.deadline = .milliseconds(300) }
        let outcome = try await client.send(to: freshToken("0ff0"))
        // Whether it had been sent by then is a matter of how busy the machine is.
        #expect([false, true].map { .tryAgain(.transport(.deadline(waiting: $0))) }.contains(outcome))
    }

    @Test func `a notification that finds no free stream is given up at its own deadline`() async throws {
        let apple = try await AppleSimulator.shared()
        let client = try Client(of: apple) {
            $0.mostInFlight = 0
            $0.deadline = .milliseconds(50)
        }
        #expect(try await client.send(to: freshToken()) == .tryAgain(.transport(.deadline(waiting: true))))
    }

    @Test func `more than the queue holds is refused at once`() async throws {
        let apple = try await AppleSimulator.shared()
        let client = try Client(of: apple) { $0.longestQueue = 0 }
        #expect(try await client.send(to: freshToken()) == .tryAgain(.overloaded))
    }

    @Test func `a connection that is cut has an outcome and the next notification a new connection`() async throws {
        let apple = try await AppleSimulator()
        let client = try Client(of: apple)
        #expect(try await client.send(to: freshToken("c105")).kind == .tryAgain)
        #expect(try await client.send(to: freshToken()) == .accepted)
    }

    @Test func `when too many connections were opened, the outcome says so and not that Apple cannot be reached`()
        async throws
    {
        let apple = try await AppleSimulator()
        let client = try Client(of: apple)
        // As if it had opened all that it may within ten minutes.
        for seconds in stride(from: 60, to: 10, by: -10) {
            for _ in 0..<8 { #expect(client.dispatcher.budget.spend(at: .now - .seconds(seconds))) }
        }
        #expect(try await client.send(to: freshToken()) == .tryAgain(.transport(.tooManyConnections)))
        #expect(try await apple.connections() == 0)
    }

    @Test func `a hundred notifications at once share one connection`() async throws {
        let apple = try await AppleSimulator()
        let client = try Client(of: apple)
        #expect(try await client.send(to: freshToken()) == .accepted)
        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for _ in 0..<100 { group.addTask { try await client.send(to: freshToken()) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == Array(repeating: .accepted, count: 100))
        #expect(try await apple.connections() == 1)
    }

    @Test func `a peer that speaks HTTP/1.1 alone is not Apple, whatever it answers`() async throws {
        let other = try await AppleSimulator("--alpn", "http/1.1")
        let outcome = try await Client(of: other).send(to: freshToken())
        #expect(outcome == .misconfigured(.transport(.notHTTP2)))
    }

    @Test(arguments: ["wrong-host", "expired"])
    func `a certificate for another host or out of date is not trusted`(certificate: String) async throws {
        let impostor = try await AppleSimulator("--certificate", certificate)
        #expect(try await Client(of: impostor).send(to: freshToken()).kind == .misconfigured)
    }

    @Test func `an authority that is not trusted is not Apple's`() async throws {
        let apple = try await AppleSimulator.shared()
        let other = try await AppleSimulator()
        let client = try Client(of: apple) { $0.certificateAuthorities = other.ready.ca }
        #expect(try await client.send(to: freshToken()).kind == .misconfigured)
    }

    @Test func `nobody at the address is an outcome`() async throws {
        let apple = try await AppleSimulator.shared()
        // Port 1 of the loopback: refused at once.
        let client = try Client(of: apple) { $0.origin = "https://127.0.0.1:1" }
        #expect(try await client.send(to: freshToken()).kind == .tryAgain)
    }

    @Test func `stopping answers whoever waits and refuses whoever comes`() async throws {
        let apple = try await AppleSimulator.shared()
        let token = freshToken("0ff0")
        let client = try Client(of: apple)
        async let waiting = client.send(to: token)
        _ = try await apple.firstRequest(for: token)
        client.stop()
        #expect(try await waiting == .tryAgain(.stopping))
        #expect(try await client.send(to: freshToken()) == .tryAgain(.stopping))
    }

    @Test func `a task that is cancelled still learns what Apple said`() async throws {
        let apple = try await AppleSimulator.shared()
        let token = freshToken("401d410")
        let client = try Client(of: apple)
        let task = Task { try await client.send(to: token) }
        _ = try await apple.firstRequest(for: token)
        task.cancel()
        try await apple.perform("release \(token)")
        #expect(try await task.value.kind == .deviceGone)
    }

    @Test func `a new key goes out over a new connection, and what is under way comes back over the old one`()
        async throws
    {
        let apple = try await AppleSimulator()
        let client = try Client(of: apple)
        #expect(try await client.send(to: freshToken()) == .accepted)
        let held = freshToken("401d200")
        async let underWay = client.send(to: held)
        let before = try await apple.firstRequest(for: held)
        client.replaceConnection()
        let token = freshToken()
        #expect(try await client.send(to: token) == .accepted)
        #expect(try await apple.firstRequest(for: token).connection != before.connection)
        try await apple.perform("release \(held)")
        #expect(try await underWay == .accepted)
    }

    @Test func `a request that the connection died under is sent once more with the same ids`() async throws {
        let apple = try await AppleSimulator()
        let client = try Client(of: apple)
        let token = freshToken("4e5e21")
        #expect(try await client.send(to: token, collapseID: "banner") == .accepted)
        let requests = try await apple.requests(for: token)
        #expect(requests.count == 2)
        #expect(Set(requests.map { $0.headers["apns-id"] }).count == 1)
        #expect(Set(requests.map { $0.headers["apns-collapse-id"] }) == ["banner"])
    }

    @Test func `a request whose fate stays unknown is not sent a third time`() async throws {
        let apple = try await AppleSimulator.shared()
        let token = freshToken("4e5e2f")
        #expect(try await Client(of: apple).send(to: token).kind == .tryAgain)
        #expect(try await apple.requests(for: token).count == 2)
    }

    @Test func `an expired token is replaced once by all that were refused with it`() async throws {
        let apple = try await AppleSimulator("--scenario", "wedge-expired")
        let clock = ManualClock(now: Int64(Date.now.timeIntervalSince1970))
        let token = try ProviderToken(of: apple, clock: clock)
        let client = try Client(of: apple, token: token)
        // Twenty minutes on another token may be made.
        let first = try token.value()
        clock.advance(by: 20 * 60)
        let tokens = (0..<100).map { _ in freshToken() }
        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for token in tokens { group.addTask { try await client.send(to: token) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == Array(repeating: .accepted, count: 100))
        #expect(try await apple.connections() == 2)
        let accepted = try await apple.requests(for: tokens[99]).compactMap(\.providerToken)
        let current = try token.value()
        #expect(current != first)
        #expect(Set(accepted).count == 1)
    }

    @Test func `one that is too young is not replaced, and the connection is`() async throws {
        let apple = try await AppleSimulator("--scenario", "wedge-expired")
        let client = try Client(of: apple)
        #expect(try await client.send(to: freshToken()).kind == .misconfigured)
        #expect(try await client.send(to: freshToken()) == .accepted)
        #expect(try await apple.connections() == 2)
    }
}
