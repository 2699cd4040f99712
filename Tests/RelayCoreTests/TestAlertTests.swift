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

@Suite("A test alert that the app asks for") struct AppTestAlertTests {
    private func test(_ subscription: TestSubscription, at relay: TestRelay, _ json: String = "") async -> Response {
        await relay.app("POST", "/subscribe/\(subscription.id)/test", json)
    }

    private func report(_ response: Response) throws -> TestReport {
        try #require(response.status == 200, "\(response.text)")
        return try JSONDecoder().decode(TestReport.self, from: Data(response.body))
    }

    @Test(arguments: ["", "{}", "no JSON"])
    func `it reaches Apple, tells the time of each hop, and is no unread message`(body: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe(account: "alice")
        _ = try await relay.accepted(to: subscription)
        let response = await test(subscription, at: relay, body)
        #expect(response.value("Content-Type") == "application/json")
        #expect(response.value("Cache-Control") == "no-store")
        let report = try report(response)
        #expect(report.apple == "accepted")
        #expect(report.error == nil && report.remedy == nil && report.environment == nil)
        for time in [
            report.encryptedMilliseconds, report.decryptedMilliseconds, report.appleMilliseconds,
            report.totalMilliseconds,
        ] {
            #expect(try #require(time) >= 0)
        }
        let requests = try await relay.apple.requests(for: subscription.deviceToken)
        #expect(requests.map(\.badge) == [1, nil])
        let payload = """
            {"account":"alice","aps":{"alert":{"body":"Your relay can reach this phone.","title":"Test"},\
            "sound":"default"},"notification_type":"test"}
            """
        #expect(requests.last?.payload == payload)
        #expect(try await relay.row(of: subscription)?.badgeCount == 1)
    }

    @Test func `the answer is these members and no other`() async throws {
        let (production, sandbox) = (try await AppleSimulator.shared(), try await AppleSimulator())
        let relay = try await TestRelay(apple: production, sandbox: sandbox)
        let subscription = try await relay.subscribe(environment: "sandbox")
        let zeros = #""decrypted_ms":0,"encrypted_ms":0,"environment":"sandbox""#
        // The clock of this relay stands still.
        let accepted = #"{"apple":"accepted","apple_ms":0,\#(zeros),"total_ms":0}"#
        #expect(await test(subscription, at: relay).text == accepted)
        try await sandbox.perform("answer \(subscription.deviceToken) 429 TooManyRequests")
        let refused = """
            {"apple":"429 TooManyRequests","apple_ms":0,"decrypted_ms":0,"encrypted_ms":0,"environment":"sandbox",\
            "error":"apple_failed","remedy":"too many notifications for one device: it passes by itself",\
            "total_ms":0}
            """
        #expect(await test(subscription, at: relay).text == refused)
    }

    @Test(arguments: ["c0de13", "c0de1c", "fa119", "c105", "01d"])
    func `what Apple refuses for a reason of its own is told, and the subscription stays`(prefix: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe(freshToken(prefix))
        let report = try report(await test(subscription, at: relay))
        #expect(report.error == .appleFailed)
        #expect(try #require(report.apple) != "accepted")
        #expect(try #require(report.remedy).isEmpty == false)
        #expect(try await relay.row(of: subscription)?.badgeCount == 0)
    }

    @Test(arguments: ["dead", "bad0"])
    func `a device that Apple calls gone is told once, and is 404 from then on`(prefix: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe(freshToken(prefix))
        let report = try report(await test(subscription, at: relay))
        #expect(report.error == .notFound)
        #expect(report.remedy?.hasPrefix("the subscription is deleted") == true)
        #expect(try await relay.row(of: subscription) == nil)
        let again = await test(subscription, at: relay)
        #expect(again.status == 404)
        #expect(again.errorWord == "not_found")
    }

    @Test func `a device that is kept although Apple calls it gone is told why, and what to do`() async throws {
        let relay = try await TestRelay()
        let renewed = try await relay.subscribe(freshToken("01d"))
        #expect(try report(await test(renewed, at: relay)).remedy?.hasPrefix("wait: Apple speaks of the time") == true)
        for _ in 0..<3 { #expect(try await relay.push(to: relay.subscribe(freshToken("bad0"))).status == 404) }
        let guarded = try await relay.subscribe(freshToken("bad0"))
        let report = try report(await test(guarded, at: relay))
        #expect(report.error == .appleFailed)
        #expect(report.remedy?.hasPrefix("check APNS_TOPIC and APNS_ENVIRONMENT") == true)
        #expect(try await relay.row(of: guarded) != nil)
    }

    @Test func `a deletion that fails is told with Apple's word, since the alert was tried`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe(freshToken("dead"))
        let lock = try WriteLock(relay.databasePath)
        let report = try report(await test(subscription, at: relay))
        try lock.release()
        #expect(report.error == .databaseUnavailable)
        #expect(report.apple == "410 Unregistered")
        #expect(try await relay.row(of: subscription) != nil)
    }

    @Test func `a subscription for one sender alone can be tested without its signature`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        let body = #"{"device_token":"\#(device)","vapid_key":"\#(try VAPIDSigner().publicKey)"}"#
        let subscription = try TestSubscription(await relay.app("POST", "/subscribe", body), deviceToken: device)
        #expect(try await relay.push(to: subscription).status == 401)
        #expect(try report(await test(subscription, at: relay)).error == nil)
        #expect(try await relay.apple.requests(for: device).count == 1)
    }

    @Test func `it counts against what the subscription may get, and is 429 beyond that`() async throws {
        let relay = try await TestRelay(burst: 2)
        let subscription = try await relay.subscribe()
        #expect(try report(await test(subscription, at: relay)).error == nil)
        #expect(try await relay.push(to: subscription).status == 201)
        let refused = await test(subscription, at: relay)
        #expect(refused.status == 429)
        #expect(refused.errorWord == "rate_limited")
        #expect(refused.value("Retry-After") == "2")
        #expect(try await relay.push(to: subscription).status == 429)
        #expect(try await relay.apple.requests(for: subscription.deviceToken).count == 2)
        relay.clock.advance(by: 2)
        #expect(try report(await test(subscription, at: relay)).error == nil)
    }

    @Test func `an unknown id is 404 and leaves no bucket, and a wrong token is 401`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let unknown = await relay.app("POST", "/subscribe/AAAAAAAAAAAAAAAAAAAAAA/test")
        #expect(unknown.status == 404)
        #expect(unknown.errorWord == "not_found")
        #expect(relay.limiter.bucketCount == 0)
        let stranger = await relay.request("POST", "/subscribe/\(subscription.id)/test")
        #expect(stranger.status == 401)
        #expect(try await relay.apple.requests(for: subscription.deviceToken).isEmpty)
    }

    @Test func `a row that cannot be read, or not be decrypted, is 503 and stays`() async throws {
        let relay = try await TestRelay()
        let id = SubscriptionID(hashing: Array("row".utf8))
        let registration = Registration(
            id: id,
            deviceToken: freshToken(),
            account: "",
            label: "",
            privateKey: [UInt8](repeating: 0, count: 32),
            authSecret: [UInt8](repeating: 1, count: 16),
            createdAt: 0
        )
        _ = try await relay.store.register(registration)
        let unreadable = await relay.app("POST", "/subscribe/row/test")
        #expect(unreadable.status == 503)
        #expect(unreadable.errorWord == "cryptography_failed")
        #expect(try await relay.store.subscription(id) != nil)
        try await relay.store.close()
        let closed = await relay.app("POST", "/subscribe/row/test")
        #expect(closed.status == 503)
        #expect(closed.errorWord == "database_unavailable")
        #expect(closed.value("Retry-After") == "10")
    }
}
