import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite("The badge") struct BadgeTests {
    @Test func `each push adds one to its subscription, and the badge is the sum over the device`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        let alice = try await relay.subscribe(device, account: "alice")
        let bob = try await relay.subscribe(device, account: "bob")
        #expect(try await relay.accepted(to: alice).badge == 1)
        #expect(try await relay.accepted(to: alice).badge == 2)
        #expect(try await relay.accepted(to: bob).badge == 3)
    }

    @Test func `two devices of one account count by themselves`() async throws {
        let relay = try await TestRelay()
        let phone = try await relay.subscribe(account: "alice")
        let tablet = try await relay.subscribe(account: "alice")
        #expect(try await relay.accepted(to: phone).badge == 1)
        #expect(try await relay.accepted(to: tablet).badge == 1)
        #expect(await relay.app("POST", "/subscribe/\(phone.id)/read").status == 204)
        #expect(try await relay.accepted(to: phone).badge == 1)
        #expect(try await relay.accepted(to: tablet).badge == 2)
    }

    @Test func `/read sets the counter to 0 and the next push says 1`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        _ = try await relay.accepted(to: subscription)
        #expect(await relay.app("POST", "/subscribe/\(subscription.id)/read", "garbage{").status == 204)
        #expect(try await relay.accepted(to: subscription).badge == 1)
    }

    @Test(arguments: [
        ("7", 8), ("0", 1), ("-1", 1), ("-9223372036854775808", 1), ("2147483646", 2_147_483_647),
        ("2147483647", 2_147_483_647), ("9223372036854775807", 2_147_483_647), ("7.0", 8), ("1e2", 101),
    ])
    func `/unread sets the counter outright, within 0 and 2,147,483,647`(count: String, badge: Int) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let response = await relay.app("POST", "/subscribe/\(subscription.id)/unread", #"{"count":\#(count)}"#)
        #expect(response.status == 204)
        #expect(try await relay.accepted(to: subscription).badge == badge)
    }

    @Test func `with badges off the alert has none and the counter goes on`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let path = "/subscribe/\(subscription.id)/badges"
        #expect(await relay.app("POST", path, #"{"enabled":false}"#).status == 204)
        for _ in 0..<3 {
            let request = try await relay.accepted(to: subscription)
            #expect(request.badge == nil)
            #expect(request.payload.contains(#""alert":{"body":"vinz: nice","title":"New Comment"},"sound":"default""#))
        }
        #expect(await relay.app("POST", path, #"{"enabled":true}"#).status == 204)
        #expect(try await relay.accepted(to: subscription).badge == 4)
    }

    @Test func `a subscription with badges off is not part of the device's sum`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        let alice = try await relay.subscribe(device, account: "alice")
        let bob = try await relay.subscribe(device, account: "bob")
        #expect(await relay.app("POST", "/subscribe/\(alice.id)/unread", #"{"count":5}"#).status == 204)
        #expect(try await relay.accepted(to: bob).badge == 6)
        #expect(await relay.app("POST", "/subscribe/\(alice.id)/badges", #"{"enabled":false}"#).status == 204)
        #expect(try await relay.accepted(to: bob).badge == 2)
    }

    @Test func `three tries of one notification count once`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe(freshToken("fa112"))
        #expect(try await relay.push(to: subscription).status == 502)
        #expect(try await relay.push(to: subscription).status == 502)
        #expect(try await relay.accepted(to: subscription).badge == 1)
    }

    @Test(arguments: [("read", "", 1), ("unread", #"{"count":5}"#, 6), ("unread", #"{"count":0}"#, 1)])
    func `a push that fails after the app has set the counter takes nothing back`(
        route: String,
        body: String,
        badge: Int
    ) async throws {
        let relay = try await TestRelay()
        let token = freshToken("401d503")
        let subscription = try await relay.subscribe(token)
        async let response = relay.push(to: subscription)
        _ = try await relay.apple.firstRequest(for: token)
        #expect(await relay.app("POST", "/subscribe/\(subscription.id)/\(route)", body).status == 204)
        try await relay.apple.perform("release \(token)")
        #expect(try await response.status == 502)
        try await relay.apple.perform("answer \(token) 200")
        #expect(try await relay.accepted(to: subscription).badge == badge)
    }

    @Test func `a counter that cannot be written costs the badge and not the alert`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let lock = try WriteLock(relay.databasePath)
        #expect(try await relay.accepted(to: subscription).badge == nil)
        #expect(relay.logLines.contains { $0.contains("event=badge_not_counted") })
        try lock.release()
        #expect(try await relay.accepted(to: subscription).badge == 1)
    }

    @Test func `a subscription that is deleted while its push waits does not come back`() async throws {
        let relay = try await TestRelay()
        let token = freshToken("401d503")
        let subscription = try await relay.subscribe(token)
        async let response = relay.push(to: subscription)
        _ = try await relay.apple.firstRequest(for: token)
        #expect(await relay.app("DELETE", "/subscribe/\(subscription.id)").status == 204)
        try await relay.apple.perform("release \(token)")
        #expect(try await response.status == 502)
        #expect(try await relay.push(to: subscription).status == 404)
    }

    @Test func `fifty pushes at once count fifty`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        let subscriptions = try await [
            relay.subscribe(device, account: "a"), relay.subscribe(device, account: "b"),
            relay.subscribe(device, account: "c"),
        ]
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<50 {
                group.addTask { try await relay.push(to: subscriptions[number % 3]).status }
            }
            for try await status in group { #expect(status == 201) }
        }
        let badges = try await relay.apple.requests(for: device).compactMap(\.badge).sorted()
        #expect(badges == Array(1...50))
    }
}
