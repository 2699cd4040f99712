import Foundation
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite("The environment of a token") struct EnvironmentTests {
    /// Apple's other service, shared by these tests.
    private static let sandbox = Task { try await AppleSimulator() }

    let relay: TestRelay
    let sandbox: AppleSimulator

    init() async throws {
        sandbox = try await Self.sandbox.value
        relay = try await TestRelay(sandbox: sandbox)
    }

    /// Registers a device that only one of the services knows.
    private func device(
        knownTo environment: String,
        account: String? = nil,
        says: String? = nil
    ) async throws -> TestSubscription {
        let token = freshToken()
        let stranger = environment == "sandbox" ? relay.apple : sandbox
        try await stranger.perform("answer \(token) 400 BadDeviceToken")
        return try await relay.subscribe(token, account: account, environment: says)
    }

    /// Pushes something new and gives the answer's status.
    private func push(to subscription: TestSubscription) async throws -> Int {
        try await relay.push(TestRelay.freshComment(), to: subscription).status
    }

    /// How many requests each service has seen.
    private func requests(_ subscription: TestSubscription) async throws -> [Int] {
        let token = subscription.deviceToken
        return [try await relay.apple.requests(for: token).count, try await sandbox.requests(for: token).count]
    }

    @Test func `the preferred service is tried first, and what it accepts the other never sees`() async throws {
        let subscription = try await device(knownTo: "production")
        for _ in 0..<2 { #expect(try await push(to: subscription) == 201) }
        #expect(try await requests(subscription) == [2, 0])
        let row = try #require(try await relay.row(of: subscription))
        #expect(row.environment == "production")
        #expect(row.acceptedAt == relay.clock.now)
    }

    @Test func `a token that only the other service knows is found there, and is sent there from then on`() async throws
    {
        let subscription = try await device(knownTo: "sandbox")
        #expect(try await push(to: subscription) == 201)
        #expect(try await requests(subscription) == [1, 1])
        #expect(try await relay.row(of: subscription)?.environment == "sandbox")
        for _ in 0..<2 { #expect(try await push(to: subscription) == 201) }
        #expect(try await requests(subscription) == [1, 3])
    }

    @Test func `a push that takes two tries counts once, and both are the same notification`() async throws {
        let subscription = try await device(knownTo: "sandbox")
        #expect(try await push(to: subscription) == 201)
        let first = try await relay.apple.firstRequest(for: subscription.deviceToken)
        let second = try await sandbox.firstRequest(for: subscription.deviceToken)
        #expect(first.badge == 1)
        #expect(first.payload == second.payload)
        for header in ["apns-id", "apns-expiration", "apns-priority"] {
            #expect(first.headers[header] != nil)
            #expect(first.headers[header] == second.headers[header])
        }
        #expect(try await relay.row(of: subscription)?.badgeCount == 1)
        #expect(try await push(to: subscription) == 201)
        #expect(try await sandbox.requests(for: subscription.deviceToken).last?.badge == 2)
    }

    @Test func `a token that neither knows is answered 404 after one try at each`() async throws {
        let token = freshToken("bad0")
        let subscription = try await relay.subscribe(token)
        #expect(try await push(to: subscription) == 404)
        #expect(try await requests(subscription) == [1, 1])
        #expect(try await relay.row(of: subscription) == nil)
    }

    @Test func `three devices that neither knows are deleted, and the fourth is kept`() async throws {
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(try await push(to: relay.subscribe(freshToken("bad0")))) }
        #expect(statuses == [404, 404, 404, 502])
    }

    @Test(arguments: ["production", "sandbox"])
    func `where the app names the environment, only that one is asked`(environment: String) async throws {
        let known = try await device(knownTo: environment, says: environment)
        #expect(try await push(to: known) == 201)
        #expect(try await requests(known) == (environment == "production" ? [1, 0] : [0, 1]))
        let unknown = try await device(
            knownTo: environment == "production" ? "sandbox" : "production",
            says: environment
        )
        #expect(try await push(to: unknown) == 404)
        #expect(try await requests(unknown) == (environment == "production" ? [1, 0] : [0, 1]))
        #expect(try await relay.row(of: unknown) == nil)
    }

    @Test func `a token that was accepted once is never shown to the other service`() async throws {
        let subscription = try await device(knownTo: "production")
        #expect(try await push(to: subscription) == 201)
        let token = subscription.deviceToken
        try await relay.apple.perform("answer \(token) 400 BadDeviceToken")
        try await sandbox.perform("answer \(token) 200")
        #expect(try await push(to: subscription) == 404)
        #expect(try await requests(subscription) == [2, 0])
        #expect(try await relay.row(of: subscription) == nil)
    }

    @Test func `nor is one that a service in the place of both accepted, before the relay knew two`() async throws {
        let substituted = try await TestRelay()
        let subscription = try await substituted.subscribe()
        #expect(try await substituted.push(to: subscription).status == 201)
        try await substituted.store.close()
        let relay = try await TestRelay(sandbox: sandbox, restarting: substituted)
        try await relay.apple.perform("answer \(subscription.deviceToken) 400 BadDeviceToken")
        #expect(try await relay.push(TestRelay.freshComment(), to: subscription).status == 404)
        #expect(try await requests(subscription) == [2, 0])
    }

    @Test func `nor is it for another account on the device, whichever registered first`() async throws {
        let alice = try await device(knownTo: "production", account: "alice")
        let bob = try await relay.subscribe(alice.deviceToken, account: "bob")
        #expect(try await push(to: alice) == 201)
        try await relay.apple.perform("answer \(alice.deviceToken) 400 BadDeviceToken")
        #expect(try await push(to: bob) == 404)
        #expect(try await requests(alice) == [2, 0])
    }

    @Test func `an account that the app named another environment for keeps that one`() async throws {
        let token = freshToken()
        let alice = try await relay.subscribe(token, account: "alice")
        let bob = try await relay.subscribe(token, account: "bob", environment: "sandbox")
        #expect(try await push(to: alice) == 201)
        #expect(try await relay.row(of: bob)?.environment == "sandbox")
        #expect(try await relay.row(of: bob)?.acceptedAt == nil)
        #expect(try await push(to: bob) == 201)
        #expect(try await requests(alice) == [1, 1])
    }

    @Test(arguments: ["400 DeviceTokenNotForTopic", "410 Unregistered", "403 Forbidden", "503 ServiceUnavailable"])
    func `only BadDeviceToken leads to the other service`(answer: String) async throws {
        let subscription = try await relay.subscribe()
        try await relay.apple.perform("answer \(subscription.deviceToken) \(answer)")
        #expect(try await push(to: subscription) == (answer.hasPrefix("4") && !answer.hasPrefix("403") ? 404 : 502))
        #expect(try await requests(subscription) == [1, 0])
    }

    @Test func `every account of the device and every new registration inherit what was learnt`() async throws {
        let first = try await device(knownTo: "sandbox", account: "alice")
        #expect(try await push(to: first) == 201)
        let token = first.deviceToken
        let other = try await relay.subscribe(token, account: "bob")
        let again = try await relay.subscribe(token.uppercased(), account: "alice")
        #expect(try await push(to: other) == 201)
        #expect(try await push(to: again) == 201)
        #expect(try await requests(first) == [1, 3])
    }

    @Test func `a restart forgets nothing of it`() async throws {
        let subscription = try await device(knownTo: "sandbox")
        #expect(try await push(to: subscription) == 201)
        try await relay.store.close()
        let restarted = try await TestRelay(sandbox: sandbox, restarting: relay)
        #expect(try await restarted.push(TestRelay.freshComment(), to: subscription).status == 201)
        #expect(try await requests(subscription) == [1, 2])
    }

    @Test func `what the app says takes the place of what was learnt, until it says nothing again`() async throws {
        let token = freshToken()
        #expect(try await push(to: relay.subscribe(token)) == 201)
        let moved = try await relay.subscribe(token, environment: "sandbox")
        #expect(try await push(to: moved) == 201)
        #expect(try await requests(moved) == [1, 1])
        // What was only said, and never shown to be true, is not handed on.
        let mistaken = freshToken()
        #expect(try await push(to: relay.subscribe(mistaken)) == 201)
        _ = try await relay.subscribe(mistaken, environment: "sandbox")
        let corrected = try await relay.subscribe(mistaken)
        try await sandbox.perform("answer \(mistaken) 400 BadDeviceToken")
        #expect(try await push(to: corrected) == 201)
        #expect(try await requests(corrected) == [2, 0])
    }

    @Test func `a passing failure of the other service is answered 502, and the token found the next time`()
        async throws
    {
        let subscription = try await device(knownTo: "sandbox")
        try await sandbox.perform("answer \(subscription.deviceToken) 503 ServiceUnavailable 1")
        #expect(try await push(to: subscription) == 502)
        let row = try #require(try await relay.row(of: subscription))
        #expect(row.badgeCount == 0)
        #expect(row.environment == nil)
        #expect(row.acceptedAt == nil)
        for _ in 0..<2 { #expect(try await push(to: subscription) == 201) }
        #expect(try await requests(subscription) == [2, 3])
        #expect(try await relay.row(of: subscription)?.badgeCount == 2)
    }

    @Test func `where the key is not for the other service, the word of the first counts`() async throws {
        let subscription = try await relay.subscribe(freshToken("bad0"))
        try await sandbox.perform("answer \(subscription.deviceToken) 403 BadEnvironmentKeyIdInToken")
        #expect(try await push(to: subscription) == 404)
        #expect(try await requests(subscription) == [1, 1])
        #expect(relay.logLines(of: "device_gone").first?.contains("400 BadDeviceToken") == true)
    }

    @Test func `a 410 of the other service is its word about a token that it once knew`() async throws {
        let subscription = try await relay.subscribe(freshToken("bad0"))
        try await sandbox.perform("answer \(subscription.deviceToken) 410 Unregistered")
        #expect(try await push(to: subscription) == 404)
        #expect(relay.logLines(of: "device_gone").first?.contains("410 Unregistered") == true)
    }

    @Test(arguments: [#""Production""#, #""development""#, #""""#, "5", "[]", "true", #"["sandbox"]"#])
    func `an environment that is neither is answered 400 and registers nothing`(value: String) async throws {
        let token = freshToken()
        let response = await relay.app("POST", "/subscribe", #"{"device_token":"\#(token)","environment":\#(value)}"#)
        #expect(response.status == 400)
        #expect(response.errorWord == "malformed_body")
    }

    @Test func `an environment of null is none`() async throws {
        let token = freshToken()
        try await relay.apple.perform("answer \(token) 400 BadDeviceToken")
        let response = await relay.app("POST", "/subscribe", #"{"device_token":"\#(token)","environment":null}"#)
        let subscription = try TestSubscription(response, deviceToken: token)
        #expect(try await push(to: subscription) == 201)
        #expect(try await requests(subscription) == [1, 1])
    }

    @Test(arguments: [nil, "production", "sandbox"])
    func `where one service stands in for both there is no second try`(environment: String?) async throws {
        let relay = try await TestRelay()
        let dead = try await relay.subscribe(freshToken("bad0"), environment: environment)
        #expect(try await relay.push(to: dead).status == 404)
        #expect(try await relay.apple.requests(for: dead.deviceToken).count == 1)
        let living = try await relay.subscribe(environment: environment)
        #expect(try await relay.push(to: living).status == 201)
        let row = try #require(try await relay.row(of: living))
        #expect(row.environment == environment)
        #expect(row.acceptedAt != nil)
    }
}
