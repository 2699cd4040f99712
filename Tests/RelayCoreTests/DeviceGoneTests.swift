import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite("A device that Apple calls gone") struct DeviceGoneTests {
    /// The answers of 0bad4 and 0bad6 have a time in seconds and one below zero: in milliseconds both are of 1970.
    @Test(arguments: ["01d", "0bad4", "0bad6"])
    func `a 410 about the time before the registration is answered 502 and keeps the row`(prefix: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe(freshToken(prefix))
        for _ in 0..<2 {
            let response = try await relay.push(to: subscription)
            #expect(response.status == 502)
            #expect(response.errorWord == "apple_failed")
        }
        #expect(try await relay.row(of: subscription)?.badgeCount == 0)
        let lines = relay.logLines(of: "device_gone_before")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains("level=info") && $0.contains(#"cause="410 Unregistered""#) })
        try await relay.apple.perform("answer \(subscription.deviceToken) 200")
        #expect(try await relay.accepted(to: subscription).badge == 1)
    }

    /// No body, a time as text, one beyond 64 bits and one with a fraction: none can be read.
    @Test(arguments: ["dead", "0bad3", "0bad7", "0bad8", "0bade"])
    func `a 410 about a later time, or about none that can be read, deletes the row`(prefix: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe(freshToken(prefix))
        let response = try await relay.push(to: subscription)
        #expect(response.status == 404)
        #expect(response.errorWord == "not_found")
        #expect(try await relay.row(of: subscription) == nil)
        #expect(relay.logLines(of: "device_gone").count == 1)
    }

    @Test func `a device that registered after Apple's word is kept by the second that it registered in`() async throws
    {
        let relay = try await TestRelay()
        let token = freshToken("dead")
        let before = try await relay.subscribe(token, account: "alice")
        // A later registration than the word of Apple, whose clock is the machine's.
        relay.clock.advance(by: 86_400)
        let after = try await relay.subscribe(token, account: "bob")
        #expect(try await relay.push(to: before).status == 404)
        #expect(try await relay.push(to: after).status == 502)
        #expect(try await relay.row(of: before) == nil)
        #expect(try await relay.row(of: after) != nil)
    }

    @Test(arguments: ["401d410", "401d400"])
    func `a device that registers anew while its old endpoint waits for Apple survives the answer`(
        prefix: String
    ) async throws {
        let relay = try await TestRelay()
        let token = freshToken(prefix)
        let old = try await relay.subscribe(token, account: "alice")
        async let answer = relay.push(to: old)
        _ = try await relay.apple.firstRequest(for: token)
        let new = try await relay.subscribe(token, account: "alice")
        try await relay.apple.perform("release \(token)")
        #expect(try await answer.status == 404)
        #expect(try await relay.row(of: old) == nil)
        #expect(try await relay.row(of: new)?.badgeCount == 0)
        try await relay.apple.perform("answer \(token) 200")
        #expect(try await relay.accepted(to: new).badge == 1)
        #expect(try await relay.push(to: old).status == 404)
    }

    @Test func `what is taken back of an old endpoint does not touch the new one`() async throws {
        let relay = try await TestRelay()
        let token = freshToken("401d503")
        let old = try await relay.subscribe(token, account: "alice")
        async let answer = relay.push(to: old)
        _ = try await relay.apple.firstRequest(for: token)
        let new = try await relay.subscribe(token, account: "alice")
        #expect(await relay.app("POST", "/subscribe/\(new.id)/unread", #"{"count":5}"#).status == 204)
        try await relay.apple.perform("release \(token)")
        #expect(try await answer.status == 502)
        #expect(try await relay.row(of: new)?.badgeCount == 5)
    }
}
