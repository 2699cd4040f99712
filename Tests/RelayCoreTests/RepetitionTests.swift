import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite("A sender's second try") struct RepetitionTests {
    let relay: TestRelay

    init() async throws {
        relay = try await TestRelay()
    }

    private func alerts(_ subscription: TestSubscription) async throws -> Int {
        try await relay.apple.requests(for: subscription.deviceToken).count
    }

    private func count(_ subscription: TestSubscription) async throws -> Int? {
        try await relay.row(of: subscription)?.badgeCount
    }

    @Test func `the same octets again are answered 201 without an alert or a count, for 120 s`() async throws {
        let subscription = try await relay.subscribe()
        let body = try subscription.sender.encrypt(Array(TestRelay.comment.utf8))
        for second in [0, 10, 109] as [Int64] {
            relay.clock.advance(by: second)
            let response = await relay.request("POST", subscription.path, body: body)
            #expect(response.status == 201)
            #expect(response.body == [])
            #expect(try await alerts(subscription) == 1)
            #expect(try await count(subscription) == 1)
        }
        #expect(relay.logLines(of: "push_repeated").count == 2)
        relay.clock.advance(by: 1)
        #expect(await relay.request("POST", subscription.path, body: body).status == 201)
        #expect(try await alerts(subscription) == 2)
        #expect(try await count(subscription) == 2)
    }

    @Test func `two equal comments in a row are two alerts`() async throws {
        let subscription = try await relay.subscribe(account: "alice")
        #expect(try await relay.accepted(to: subscription).badge == 1)
        #expect(try await relay.accepted(to: subscription).badge == 2)
        #expect(relay.logLines(of: "push_repeated").isEmpty)
    }

    @Test func `two equal comments to all of a user's devices are two alerts on each`() async throws {
        let phone = try await relay.subscribe(account: "alice")
        let tablet = try await relay.subscribe(account: "alice")
        for round in 1...2 {
            #expect(try await relay.accepted(to: phone).badge == round)
            #expect(try await relay.accepted(to: tablet).badge == round)
        }
    }

    @Test func `when a sibling failed, the device that has the notification gets it no second time`() async throws {
        let phone = try await relay.subscribe(account: "alice")
        let tablet = try await relay.subscribe(freshToken("fa111"), account: "alice")
        #expect(try await relay.push(TestRelay.comment, to: phone).status == 201)
        #expect(try await relay.push(TestRelay.comment, to: tablet).status == 502)
        relay.clock.advance(by: 10)
        #expect(try await relay.push(TestRelay.comment, to: phone).status == 201)
        #expect(try await relay.push(TestRelay.comment, to: tablet).status == 201)
        #expect(try await alerts(phone) == 1)
        #expect(try await alerts(tablet) == 2)
        #expect(try await count(phone) == 1)
        #expect(try await count(tablet) == 1)
    }

    /// Pixelfed's job: to each device in turn, again after 10 s and after 30 s while one of them fails.
    @Test(arguments: ["fa111", "fa112"], [0, 1, 2])
    func `of a job that is sent again to all devices each gets exactly one alert`(
        failing: String,
        position: Int
    ) async throws {
        let failures = failing == "fa111" ? 1 : 2
        var devices: [TestSubscription] = []
        for index in 0..<3 {
            devices.append(try await relay.subscribe(freshToken(index == position ? failing : "ab"), account: "alice"))
        }
        for round in 0...failures {
            relay.clock.advance(by: [0, 10, 30][round])
            for (index, device) in devices.enumerated() {
                let status = try await relay.push(TestRelay.comment, to: device).status
                #expect(status == (index == position && round < failures ? 502 : 201))
            }
        }
        for (index, device) in devices.enumerated() {
            let requests = try await relay.apple.requests(for: device.deviceToken)
            #expect(requests.count == (index == position ? failures + 1 : 1))
            // Each try that failed took its count back before the next one.
            #expect(requests.allSatisfy { $0.badge == 1 })
            #expect(try await count(device) == 1)
        }
    }

    @Test func `a sibling's failure is over after 120 s`() async throws {
        let phone = try await relay.subscribe(account: "alice")
        let tablet = try await relay.subscribe(freshToken("fa11f"), account: "alice")
        #expect(try await relay.push(TestRelay.comment, to: tablet).status == 502)
        relay.clock.advance(by: 100)
        #expect(try await relay.push(TestRelay.comment, to: phone).status == 201)
        relay.clock.advance(by: 20)
        #expect(try await relay.push(TestRelay.comment, to: phone).status == 201)
        #expect(try await alerts(phone) == 2)
    }

    @Test(arguments: [("alice", "bob"), ("alice", nil), (nil, "alice")] as [(String?, String?)])
    func `the failure of another account is no sibling's`(account: String?, other: String?) async throws {
        let phone = try await relay.subscribe(account: account)
        let tablet = try await relay.subscribe(freshToken("fa11f"), account: other)
        for round in 1...2 {
            #expect(try await relay.accepted(to: phone).badge == round)
            #expect(try await relay.push(TestRelay.comment, to: tablet).status == 502)
        }
    }

    @Test func `the failure of the very row is none`() async throws {
        let phone = try await relay.subscribe(freshToken("fa111"), account: "alice")
        #expect(try await relay.push(TestRelay.comment, to: phone).status == 502)
        #expect(try await relay.accepted(to: phone).badge == 1)
        #expect(try await relay.accepted(to: phone).badge == 2)
    }

    @Test(arguments: ["dead", "bad0"])
    func `a sibling that is gone is no failure, since its sender does not come again`(prefix: String) async throws {
        let phone = try await relay.subscribe(account: "alice")
        let tablet = try await relay.subscribe(freshToken(prefix), account: "alice")
        #expect(try await relay.accepted(to: phone).badge == 1)
        #expect(try await relay.push(TestRelay.comment, to: tablet).status == 404)
        #expect(try await relay.accepted(to: phone).badge == 2)
    }

    @Test func `a sibling that is kept although Apple disowns it is a failure, since its sender comes again`()
        async throws
    {
        let phone = try await relay.subscribe(account: "alice")
        #expect(try await relay.push(TestRelay.comment, to: phone).status == 201)
        let tablet = try await relay.subscribe(freshToken("01d"), account: "alice")
        #expect(try await relay.push(TestRelay.comment, to: tablet).status == 502)
        #expect(try await relay.push(TestRelay.comment, to: phone).status == 201)
        #expect(try await alerts(phone) == 1)
    }

    @Test func `a failure with another content is none either`() async throws {
        let phone = try await relay.subscribe(account: "alice")
        let tablet = try await relay.subscribe(freshToken("fa11f"), account: "alice")
        #expect(try await relay.accepted(to: phone).badge == 1)
        #expect(try await relay.push(TestRelay.freshComment(), to: tablet).status == 502)
        #expect(try await relay.accepted(to: phone).badge == 2)
    }

    @Test func `a push that the relay refuses by itself is no failure of a sibling`() async throws {
        let phone = try await relay.subscribe(account: "alice")
        let tablet = try await relay.subscribe(account: "alice")
        for _ in 0..<20 { #expect(try await relay.push(TestRelay.freshComment(), to: tablet).status == 201) }
        #expect(try await relay.accepted(to: phone).badge == 1)
        #expect(try await relay.push(TestRelay.comment, to: tablet).status == 429)
        let malformed = [(name: "Topic", value: "no topic")]
        #expect(try await relay.push(TestRelay.comment, to: tablet, fields: malformed).status == 400)
        #expect(
            try await relay.push(TestRelay.comment, to: tablet, fields: [("Content-Encoding", "gzip")]).status == 415
        )
        #expect(try await relay.accepted(to: phone).badge == 2)
    }

    @Test func `a body that failed is sent when it comes again`() async throws {
        let subscription = try await relay.subscribe(freshToken("fa112"), account: "alice")
        let body = try subscription.sender.encrypt(Array(TestRelay.comment.utf8))
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(await relay.request("POST", subscription.path, body: body).status) }
        #expect(statuses == [502, 502, 201, 201])
        #expect(try await alerts(subscription) == 3)
        #expect(try await count(subscription) == 1)
    }

    @Test func `a new registration has got nothing yet`() async throws {
        let device = freshToken()
        #expect(try await relay.accepted(to: relay.subscribe(device, account: "alice")).badge == 1)
        let tablet = try await relay.subscribe(freshToken("fa11f"), account: "alice")
        #expect(try await relay.push(TestRelay.comment, to: tablet).status == 502)
        #expect(try await relay.accepted(to: relay.subscribe(device, account: "alice")).badge == 1)
    }

    @Test func `a repetition after the app has read everything does not count again`() async throws {
        let phone = try await relay.subscribe(account: "alice")
        let tablet = try await relay.subscribe(freshToken("fa111"), account: "alice")
        #expect(try await relay.push(TestRelay.comment, to: phone).status == 201)
        #expect(try await relay.push(TestRelay.comment, to: tablet).status == 502)
        #expect(await relay.app("POST", "/subscribe/\(phone.id)/read").status == 204)
        #expect(try await relay.push(TestRelay.comment, to: phone).status == 201)
        #expect(try await count(phone) == 0)
    }

    @Test func `a repetition costs one of the messages that a subscription may get`() async throws {
        let subscription = try await relay.subscribe()
        let body = try subscription.sender.encrypt(Array(TestRelay.comment.utf8))
        for _ in 0..<20 { #expect(await relay.request("POST", subscription.path, body: body).status == 201) }
        #expect(await relay.request("POST", subscription.path, body: body).status == 429)
        #expect(try await alerts(subscription) == 1)
    }
}
