import Crypto
import Foundation
import HTTPServer
import RelayTesting
import Testing
import WebPush

@testable import RelayCore
@testable import Store

@Suite("Endpoints that the relay gives to its operator") struct TestAlertTests {
    /// What the operator's side does with a way to a subscription of its own.
    private func test(_ subscription: TestSubscription, at relay: TestRelay) async throws -> TestReport {
        let id = SubscriptionID(hashing: Array(subscription.id.utf8))
        let path = try #require(try relay.tickets.issue(.test(id)))
        let body = try subscription.sender.encrypt(Array(TestRelay.comment.utf8))
        let answer = await relay.request("POST", path, fields: [("Content-Encoding", "aes128gcm")], body: body)
        #expect(answer.status == 200)
        return try JSONDecoder().decode(TestReport.self, from: Data(answer.body))
    }

    @Test func `a test alert reaches Apple, and neither counts nor shows a badge`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        _ = try await relay.accepted(to: subscription)
        let report = try await test(subscription, at: relay)
        #expect(report.error == nil)
        #expect(report.apple == "accepted")
        #expect(try #require(report.decryptedMilliseconds) >= 0)
        #expect(try #require(report.appleMilliseconds) >= 0)
        let badges = try await relay.apple.requests(for: subscription.deviceToken).map(\.badge)
        #expect(badges == [1, nil])
        #expect(try await relay.row(of: subscription)?.badgeCount == 1)
    }

    @Test(arguments: [("fa119", ErrorWord.appleFailed), ("dead", .notFound)])
    func `it tells what Apple said, and what the relay made of it`(prefix: String, error: ErrorWord) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe(freshToken(prefix))
        let report = try await test(subscription, at: relay)
        #expect(report.error == error)
        #expect(try #require(report.apple) != "accepted")
    }

    @Test func `it counts against what a subscription may get`() async throws {
        let relay = try await TestRelay(burst: 1)
        let subscription = try await relay.subscribe()
        #expect(try await test(subscription, at: relay).error == nil)
        #expect(try await test(subscription, at: relay).error == .rateLimited)
    }

    @Test func `each takes one request, within a minute`() async throws {
        let relay = try await TestRelay()
        let answer = Array("nobody else knows".utf8)
        let used = try #require(try relay.tickets.issue(.probe(answer: answer)))
        #expect(await relay.request("POST", used).body == answer)
        #expect(await relay.request("POST", used).status == 404)
        let old = try #require(try relay.tickets.issue(.probe(answer: answer)))
        relay.clock.advance(by: 61)
        #expect(await relay.request("POST", old).status == 404)
    }

    @Test func `there are 64 at most, and those that are over make room`() throws {
        let clock = ManualClock(now: 0)
        let tickets = Tickets(uptime: { clock.uptime })
        for _ in 0..<64 { #expect(try tickets.issue(.probe(answer: [])) != nil) }
        #expect(try tickets.issue(.probe(answer: [])) == nil)
        clock.advance(by: 61)
        #expect(try tickets.issue(.probe(answer: [])) != nil)
    }
}
