import Foundation
import Testing

@testable import RelayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct TransportTests {
    private let waits = Waits()

    private static let later = LocalServer.Reply.json(503, Example.problem(.overloaded))

    @Test func `a call asks again after 5xx, and the third answer counts`() async throws {
        let server = try LocalServer(Self.later, Self.later, .json(201, Example.subscribeAnswer))
        let subscription = try await waits.relay(at: server.url).subscribe(deviceToken: Example.deviceToken)
        #expect(subscription.id == Example.id)
        #expect(waits.all == [1, 2])
        #expect(server.requests.count == 3)
        #expect(Set(server.requests.map(\.body)).count == 1)
    }

    @Test func `a call asks as often as its policy has it, and then says why`() async throws {
        let server = try LocalServer(Self.later, Self.later, Self.later)
        await #expect(throws: RelayClientError.askAgainLater(after: nil, reason: "what to do")) {
            try await waits.relay(at: server.url).subscribe(deviceToken: Example.deviceToken)
        }
        #expect(server.requests.count == 3)
    }

    @Test func `a call waits for as long as the relay asks`() async throws {
        let limited = LocalServer.Reply.json(429, Example.problem(.rateLimited), fields: "Retry-After: 7")
        let server = try LocalServer(limited, .noContent)
        try await waits.relay(at: server.url).markRead(Example.subscription())
        #expect(waits.all == [8])
    }

    @Test func `a call that is asked to wait for an hour ends at once, and says so`() async throws {
        let full = LocalServer.Reply.json(503, Example.problem(.tooManySubscriptions), fields: "Retry-After: 3600")
        let server = try LocalServer(full)
        await #expect(throws: RelayClientError.askAgainLater(after: 3_600, reason: "what to do")) {
            try await waits.relay(at: server.url).subscribe(deviceToken: Example.deviceToken)
        }
        #expect(waits.all.isEmpty)
    }

    @Test func `what is wrong for good is asked once`() async throws {
        let server = try LocalServer(.json(401, Example.problem(.unauthorized)))
        await #expect(throws: RelayClientError.configuration(.unauthorized, message: "what to do")) {
            try await waits.relay(at: server.url).subscribe(deviceToken: Example.deviceToken)
        }
        #expect(server.requests.count == 1)
    }

    @Test func `a server that is not there is asked again, and the error names no secret`() async throws {
        let port = try LocalServer().url
        let error = await #expect(throws: RelayClientError.self) {
            try await waits.relay(at: port).markRead(Example.subscription())
        }
        guard case .askAgainLater(nil, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasPrefix("the network failed: "))
        #expect(!reason.contains(Example.id))
        #expect(waits.all == [1, 2])
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is not followed, so that nobody else gets the token`(status: Int) async throws {
        let other = try LocalServer(.noContent)
        let server = try LocalServer(.json(status, "", fields: "Location: \(other.url)/subscribe/x/read"))
        await #expect(throws: RelayClientError.notARelay(status: status)) {
            try await waits.relay(at: server.url).markRead(Example.subscription())
        }
        #expect(other.requests.isEmpty)
    }

    @Test func `an answer without an end is cut, and is no relay's`() async throws {
        let server = try LocalServer(.endless("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"))
        await #expect(throws: RelayClientError.notARelay(status: 200)) {
            try await waits.relay(at: server.url).status(of: Example.subscription())
        }
    }

    @Test(arguments: [(65_536, 65_536), (65_537, 0)])
    func `a body is kept up to its limit, and not a part of it`(length: Int, kept: Int) async throws {
        let server = try LocalServer(.json(200, String(repeating: " ", count: length)))
        let answer = try await waits.transport().answer(to: URLRequest(url: server.url))
        #expect(answer.status == 200)
        #expect(answer.body.count == kept)
    }

    @Test func `a server that says nothing is left after the deadline`() async throws {
        let server = try LocalServer(.silence)
        let transport = waits.transport(.none, deadline: 0.05)
        await #expect(throws: TransportError.self) { try await transport.answer(to: URLRequest(url: server.url)) }
    }

    @Test func `a task that is cancelled while it waits for an answer throws CancellationError`() async throws {
        let server = try LocalServer(.silence)
        let relay = waits.relay(at: server.url)
        let subscription = try Example.subscription()
        let call = Task { try await relay.status(of: subscription) }
        for await _ in server.arrivals { break }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(waits.all.isEmpty)
    }

    @Test func `a task that is cancelled between two attempts throws CancellationError`() async throws {
        let server = try LocalServer(Self.later)
        var transport = waits.transport()
        transport.sleep = { _ in withUnsafeCurrentTask { $0?.cancel() } }
        let relay = RelayClient(Relay(url: server.url, token: Secret("token"), transport: transport))
        let subscription = try Example.subscription()
        let call = Task { try await relay.status(of: subscription) }
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(server.requests.count == 1)
    }

    @Test func `a task that was cancelled before asks nobody`() async throws {
        let server = try LocalServer(.noContent)
        let relay = waits.relay(at: server.url)
        let subscription = try Example.subscription()
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await relay.markRead(subscription)
        }
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["ftp://push.example.org", "push.example.org", "file:///etc/passwd", "https:///nowhere"])
    func `a URL that is none of a relay is the configuration's`(text: String) async throws {
        let url = try #require(URL(string: text))
        let error = await #expect(throws: RelayClientError.self) {
            try await waits.relay(at: url).markRead(Example.subscription())
        }
        #expect(error == .configuration(nil, message: "the URL has to begin with https:// and a host"))
    }
}
