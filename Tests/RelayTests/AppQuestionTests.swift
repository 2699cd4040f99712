import Foundation
import RelayCore
import RelayTesting
import Testing

/// What the app asks of the running relay, over a socket and with Apple behind it.
@Suite(.fewAtATime) struct AppQuestionTests {
    private struct Status: Decodable, Equatable {
        struct Failure: Decodable, Equatable {
            let at: Int64
            let message: String
        }

        let created_at: Int64
        let environment: String?
        let badge: Int
        let badges_enabled: Bool
        let last_accepted_at: Int64?
        let last_failure: Failure?
        let vapid_key_pinned: Bool
    }

    private func status(of endpoint: Endpoint, at relay: RelayProgram) async throws -> Status {
        let answer = try await relay.answer("GET", endpoint.settings())
        try #require(answer.status == 200, "\(answer.text)")
        return try JSONDecoder().decode(Status.self, from: Data(answer.body))
    }

    private func test(_ endpoint: Endpoint, at relay: RelayProgram) async throws -> TestReport {
        let answer = try await relay.answer("POST", endpoint.settings("test"))
        try #require(answer.status == 200, "\(answer.text)")
        return try JSONDecoder().decode(TestReport.self, from: Data(answer.body))
    }

    @Test func `a test alert reaches the phone without a badge, and is known after a restart too`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let endpoint = try await relay.subscribe(device, account: "alice@pixels.example")
        #expect(try await status(of: endpoint, at: relay).last_accepted_at == nil)
        #expect(try await relay.push(to: endpoint).status == 201)
        let report = try await test(endpoint, at: relay)
        #expect(report.apple == "accepted")
        #expect(report.error == nil)
        let parts = [report.encryptedMilliseconds, report.decryptedMilliseconds, report.appleMilliseconds]
        let sum = try parts.map { try #require($0) }.reduce(0, +)
        #expect(parts.allSatisfy { $0.map { $0 > 0 } == true })
        // Each is rounded by itself.
        #expect(try #require(report.totalMilliseconds) > sum - 0.01)
        #expect(try await apple.requests(for: device).map(\.badge) == [1, nil])

        let before = try await status(of: endpoint, at: relay)
        #expect(before.badge == 1)
        #expect(try #require(before.last_accepted_at) >= before.created_at)
        #expect(before.last_failure == nil)
        #expect(await relay.stop() == 0)
        let restarted = try await RelayProgram(apple: apple, in: relay.folder)
        #expect(try await status(of: endpoint, at: restarted) == before)
    }

    @Test func `an alert that Apple does not take is told with its word, and the subscription says so`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let endpoint = try await relay.subscribe(freshToken("fa119"))
        let report = try await test(endpoint, at: relay)
        #expect(report.apple == "503 ServiceUnavailable")
        #expect(report.error == .appleFailed)
        #expect(report.remedy?.isEmpty == false)
        let status = try await status(of: endpoint, at: relay)
        #expect(status.badge == 0)
        #expect(status.last_failure?.message == "Apple's service was out of order.")
    }

    @Test(arguments: ["dead", "bad0"])
    func `a device that Apple calls gone is unknown from then on, so that the app registers anew`(
        prefix: String
    ) async throws {
        let relay = try await RelayProgram(apple: .shared())
        let device = freshToken(prefix)
        let endpoint = try await relay.subscribe(device)
        #expect(try await test(endpoint, at: relay).error == .notFound)
        for (method, path) in [("GET", endpoint.settings()), ("POST", endpoint.settings("test"))] {
            let answer = try await relay.answer(method, path)
            #expect(answer.status == 404)
            #expect(answer.text.hasPrefix(#"{"error":"not_found","#))
        }
        let anew = try await relay.subscribe(device)
        #expect(try await status(of: anew, at: relay).created_at > 0)
    }

    @Test func `a stranger, another method and HEAD are answered as everywhere`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let endpoint = try await relay.subscribe(freshToken())
        #expect(try await relay.answer("GET", endpoint.settings(), token: nil).status == 401)
        #expect(try await relay.answer("POST", endpoint.settings("test"), token: "another").status == 401)
        let other = try await relay.answer("POST", endpoint.settings())
        #expect(other.status == 405)
        #expect(other.values("Allow") == ["GET, HEAD, DELETE"])

        let client = try HTTPClient(relay.address)
        let head = "HEAD \(endpoint.settings()) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        try await client.send(Array("\(head)Authorization: Bearer \(RelayProgram.subscribeToken)\r\n\r\n".utf8))
        let octets = String(decoding: try await client.rest(), as: UTF8.self)
        #expect(octets.hasPrefix("HTTP/1.1 200 "))
        #expect(octets.hasSuffix("\r\n\r\n"))
        let length = try await relay.answer("GET", endpoint.settings()).body.count
        #expect(octets.contains("\r\nContent-Length: \(length)\r\n"))
    }
}
