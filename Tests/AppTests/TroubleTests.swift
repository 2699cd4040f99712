import Foundation
import RelayClient
import RelayTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A relay that is down, slow, full or older, or is none.
@Suite(.severalAtATime)
struct TroubleTests {
    /// Some subscription, of a relay that has gone since.
    private static let subscription = Task {
        let relay = try await RunningRelay(apple: .shared())
        let subscription = try await Phone(relay.url).subscribe()
        await relay.stop()
        return subscription
    }

    /// Every call of the app.
    private static let calls: [(name: String, call: @Sendable (RelayClient, PushSubscription) async throws -> Void)] = [
        ("subscribe", { relay, old in _ = try await relay.subscribe(deviceToken: old.deviceToken) }),
        ("unsubscribe", { try await $0.unsubscribe($1) }),
        ("setUnread", { try await $0.setUnread(1, for: $1) }),
        ("markRead", { try await $0.markRead($1) }),
        ("setBadges", { try await $0.setBadges(enabled: true, for: $1) }),
        ("status", { _ = try await $0.status(of: $1) }),
        ("sendTest", { _ = try await $0.sendTest(to: $1) }),
    ]

    /// What each call comes to; nil where it is no error.
    private func outcomes(
        at url: URL,
        session: URLSession = .shared,
        retryPolicy: RetryPolicy = .none
    ) async throws -> [(name: String, error: RelayClientError?)] {
        let subscription = try await Self.subscription.value
        var outcomes: [(String, RelayClientError?)] = []
        let phone = Phone(url, session: session, retryPolicy: retryPolicy)
        for (name, call) in Self.calls {
            do {
                try await call(phone.relay, subscription)
                outcomes.append((name, nil))
            } catch {
                outcomes.append((name, try #require(error as? RelayClientError, "\(name) threw \(error)")))
            }
        }
        return outcomes
    }

    private func expectAskAgainLater(_ outcomes: [(name: String, error: RelayClientError?)]) {
        for (name, error) in outcomes {
            guard case .askAgainLater(nil, let reason) = error else {
                Issue.record("\(name) is \(String(describing: error))")
                continue
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test func `a relay that is down is asked again later, after three attempts`() async throws {
        let server = try StubServer(.end)
        let policy = RetryPolicy(attempts: 3, firstDelay: 0, longestDelay: 0)
        expectAskAgainLater(try await outcomes(at: server.url, retryPolicy: policy))
        // But for the test alert: each try might be one more.
        #expect(server.requests.count == 3 * (Self.calls.count - 1) + 1)
        #expect(Set(server.requests).count == Self.calls.count)
    }

    @Test func `a relay that nobody runs is asked again later`() async throws {
        let server = try StubServer(.refusal)
        expectAskAgainLater(try await outcomes(at: server.url))
        #expect(server.requests.isEmpty)
    }

    @Test func `a relay that never answers is given up`() async throws {
        let server = try StubServer(.silence)
        let impatient = URLSessionConfiguration.ephemeral
        impatient.timeoutIntervalForResource = 0.3
        let session = URLSession(configuration: impatient)
        defer { session.invalidateAndCancel() }
        expectAskAgainLater(try await outcomes(at: server.url, session: session))
        #expect(server.requests.count == Self.calls.count)
    }

    @Test(arguments: [502, 503, 504])
    func `a proxy whose relay is away is asked again later`(status: Int) async throws {
        let body = "<html><head><title>\(status)</title></head></html>"
        let server = try StubServer(.answer(status, fields: ["Content-Type: text/html"], body: body))
        expectAskAgainLater(try await outcomes(at: server.url))
    }

    @Test func `a relay that is older than a route does what it can`() async throws {
        let notFound = #"{"error":"not_found","message":"there is no such path"}"#
        let server = try StubServer(.answer(404, body: notFound))
        let outcomes = try await outcomes(at: server.url)
        let done = outcomes.filter { $0.error == nil }.map(\.name)
        #expect(done == ["unsubscribe", "setUnread", "markRead", "setBadges"])
        #expect(outcomes.first { $0.name == "status" }?.error == .registerAnew)

        // The path of status takes another method at such a relay.
        let wrongMethod = #"{"error":"method_not_allowed","message":"DELETE is what this path takes"}"#
        let older = try StubServer(.answer(405, fields: ["Allow: DELETE"], body: wrongMethod))
        let status = try await self.outcomes(at: older.url).first { $0.name == "status" }
        guard case .configuration(.methodNotAllowed, _) = status?.error else {
            Issue.record("\(String(describing: status))")
            return
        }
    }

    @Test func `an app with another token than the relay's is wrong, and asks once`() async throws {
        let relay = try await RunningRelay(apple: .shared())
        let phone = Phone(relay.url, subscribeToken: "another")
        let subscription = try await Self.subscription.value
        for (name, call) in Self.calls {
            let error = await #expect(throws: RelayClientError.self) { try await call(phone.relay, subscription) }
            guard case .configuration(.unauthorized, let message) = error else {
                Issue.record("\(name) is \(String(describing: error))")
                continue
            }
            #expect(!message.contains("another"))
        }
        let server = try StubServer(.answer(401, body: #"{"error":"unauthorized","message":"send the token"}"#))
        _ = try await outcomes(at: server.url, retryPolicy: RetryPolicy(attempts: 3, firstDelay: 0, longestDelay: 0))
        #expect(server.requests.count == Self.calls.count)
    }

    private static let others: [(status: Int, body: String)] = [
        (200, "<html>Log in to the hotel's network</html>"), (200, ""), (201, "{}"), (204, ""), (302, ""), (308, ""),
        (403, "<html></html>"), (404, "<html>nginx</html>"),
    ]

    @Test(arguments: others)
    func `what is no relay is never taken for one`(status: Int, body: String) async throws {
        let fields = ["Location: http://127.0.0.1:1/login", "Content-Type: text/html"]
        let server = try StubServer(.answer(status, fields: fields, body: body))
        let outcomes = try await outcomes(at: server.url)
        // 204 is what a relay says to what has no answer; nothing tells it from another's.
        let silent: Set = status == 204 ? ["unsubscribe", "setUnread", "markRead", "setBadges"] : []
        for (name, error) in outcomes {
            #expect(error == (silent.contains(name) ? nil : .notARelay(status: status)), "\(name)")
        }
        #expect(server.requests.count == Self.calls.count)
    }

    @Test func `a relay that is full says when to come back`() async throws {
        let full = try await RunningRelay(apple: .shared(), ["MAX_SUBSCRIPTIONS": "1"])
        _ = try await Phone(full.url).subscribe()
        let error = await #expect(throws: RelayClientError.self) { try await Phone(full.url).subscribe() }
        guard case .askAgainLater(3600?, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a subscription that is tested too often has to wait`() async throws {
        let relay = try await RunningRelay(apple: .shared(), ["MAX_PUSHES_AT_ONCE": "1"])
        let phone = Phone(relay.url)
        let subscription = try await phone.subscribe()
        #expect(try await phone.relay.sendTest(to: subscription).isAccepted)
        let error = await #expect(throws: RelayClientError.self) { try await phone.relay.sendTest(to: subscription) }
        guard case .askAgainLater(let delay?, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(delay >= 1)
    }
}
