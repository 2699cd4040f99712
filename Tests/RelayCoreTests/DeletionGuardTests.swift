import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite("The guard against unsubscribing everybody") struct DeletionGuardTests {
    /// BadDeviceToken and DeviceTokenNotForTopic.
    private static let doubtful = ["bad0", "c0de07"]

    /// Subscribes a device that Apple does not know and pushes to it; whether its row is gone.
    private func isDeleted(_ relay: TestRelay, _ prefix: String = "bad0") async throws -> Bool {
        let subscription = try await relay.subscribe(freshToken(prefix))
        let response = try await relay.push(to: subscription)
        let row = try await relay.row(of: subscription)
        #expect(response.status == (row == nil ? 404 : 502))
        return row == nil
    }

    private func trip(_ relay: TestRelay) async throws {
        for _ in 0..<3 { #expect(try await isDeleted(relay)) }
    }

    @Test(arguments: doubtful, doubtful)
    func `after three deletions the fourth row is kept and answered 502, and the log says what to check`(
        first: String,
        last: String
    ) async throws {
        let relay = try await TestRelay()
        for _ in 0..<3 { #expect(try await isDeleted(relay, first)) }
        #expect(relay.logLines(of: "deletion_refused").isEmpty)

        let subscription = try await relay.subscribe(freshToken(last))
        for _ in 0..<2 {
            let response = try await relay.push(to: subscription)
            #expect(response.status == 502)
            #expect(response.errorWord == "apple_failed")
        }
        #expect(try await relay.row(of: subscription)?.badgeCount == 0)
        let lines = relay.logLines(of: "deletion_refused")
        #expect(lines.count == 1)
        for part in ["level=error", "APNS_TOPIC", "APNS_ENVIRONMENT", #"cause="400 "#] {
            #expect(lines.first?.contains(part) == true)
        }
        #expect(await relay.request("GET", "/healthz").status == 200)
    }

    @Test func `of ten rows that Apple disowns at once three are deleted`() async throws {
        let relay = try await TestRelay()
        var subscriptions: [TestSubscription] = []
        for _ in 0..<10 { subscriptions.append(try await relay.subscribe(freshToken("bad0"))) }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for subscription in subscriptions { group.addTask { try await relay.push(to: subscription).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [404, 404, 404] + [Int](repeating: 502, count: 7))
        var kept = 0
        for subscription in subscriptions where try await relay.row(of: subscription) != nil { kept += 1 }
        #expect(kept == 7)
    }

    @Test func `deletions by a 410 do not count, and go on when the guard has tripped`() async throws {
        let relay = try await TestRelay()
        for _ in 0..<4 { #expect(try await isDeleted(relay, "dead")) }
        try await trip(relay)
        #expect(try await !isDeleted(relay))
        #expect(try await isDeleted(relay, "dead"))
        #expect(try await !isDeleted(relay))
    }

    @Test func `rows that the app deletes do not count`() async throws {
        let relay = try await TestRelay()
        for _ in 0..<4 {
            let subscription = try await relay.subscribe(freshToken("bad0"))
            #expect(await relay.app("DELETE", "/subscribe/\(subscription.id)").status == 204)
        }
        try await trip(relay)
        #expect(try await !isDeleted(relay))
    }

    @Test func `an accepted push begins the count anew, before the guard has tripped and after`() async throws {
        let relay = try await TestRelay()
        let living = try await relay.subscribe()
        for _ in 0..<2 { #expect(try await isDeleted(relay)) }
        _ = try await relay.accepted(TestRelay.freshComment(), to: living)
        try await trip(relay)
        #expect(try await !isDeleted(relay))
        _ = try await relay.accepted(TestRelay.freshComment(), to: living)
        try await trip(relay)
        #expect(try await !isDeleted(relay))
    }

    @Test(arguments: ["c0de0e", "c0de14", "fa11f", "01d"])
    func `a push that is refused for another reason leaves the guard as it is`(prefix: String) async throws {
        let relay = try await TestRelay()
        try await trip(relay)
        #expect(try await !isDeleted(relay, prefix))
        #expect(try await !isDeleted(relay))
    }

    @Test func `deletions that are spread over more than an hour never trip it`() async throws {
        let relay = try await TestRelay()
        for _ in 0..<12 {
            #expect(try await isDeleted(relay))
            relay.clock.advance(by: 1_801)
        }
        #expect(relay.logLines(of: "deletion_refused").isEmpty)
    }

    @Test func `three within an hour are enough, however old the ones before are`() async throws {
        let relay = try await TestRelay()
        for _ in 0..<2 { #expect(try await isDeleted(relay)) }
        relay.clock.advance(by: 3_600)
        #expect(try await isDeleted(relay))
        relay.clock.advance(by: 1_800)
        #expect(try await isDeleted(relay))
        relay.clock.advance(by: 1_799)
        #expect(try await isDeleted(relay))
        #expect(try await !isDeleted(relay))
    }

    @Test func `once it has tripped hours do not open it again, and a device that is kept gets its pushes`()
        async throws
    {
        let relay = try await TestRelay()
        try await trip(relay)
        let kept = try await relay.subscribe(freshToken("bad0"))
        #expect(try await relay.push(to: kept).status == 502)
        relay.clock.advance(by: 30 * 3_600)
        #expect(try await relay.push(to: kept).status == 502)
        #expect(try await !isDeleted(relay))
        // The operator has mended the topic.
        try await relay.apple.perform("answer \(kept.deviceToken) 200")
        #expect(try await relay.accepted(to: kept).badge == 1)
        #expect(try await isDeleted(relay))
    }

    @Test func `it survives a restart, and so does its count`() async throws {
        let first = try await TestRelay()
        for _ in 0..<2 { #expect(try await isDeleted(first)) }
        try await first.store.close()
        let second = try await TestRelay(restarting: first)
        #expect(try await isDeleted(second))
        try await second.store.close()
        let third = try await TestRelay(restarting: second)
        #expect(try await !isDeleted(third))
        #expect(third.logLines(of: "deletion_refused").count == 1)
    }

    @Test func `an acceptance of before is no acceptance since`() async throws {
        let relay = try await TestRelay()
        _ = try await relay.accepted(to: relay.subscribe())
        try await trip(relay)
        #expect(try await !isDeleted(relay))
    }
}
