import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite("Whose limit is spent") struct PushLimitsTests {
    private let fields = [(name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: "60")]
    private let garbage = [UInt8](repeating: 7, count: 247)

    /// Posts a body that nobody made for this subscription.
    private func stray(_ body: [UInt8], to subscription: TestSubscription, of relay: TestRelay) async -> Response {
        await relay.request("POST", subscription.path, fields: fields, body: body)
    }

    @Test func `L-07: 20 bodies that do not decrypt are 400 and the next is 429, and the sender has its whole burst`()
        async throws
    {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        for _ in 0..<20 { #expect(await stray(garbage, to: subscription, of: relay).status == 400) }
        let refused = await stray(garbage, to: subscription, of: relay)
        #expect(refused.status == 429)
        #expect(refused.errorWord == "rate_limited")
        #expect(refused.value("Retry-After") == "2")
        for _ in 0..<20 { #expect(try await relay.push(to: subscription).status == 201) }
        #expect(try await relay.push(to: subscription).status == 429)
        #expect(try await relay.row(of: subscription)?.badgeCount == 20)
    }

    @Test func `what the sender has left is nothing to bodies that do not decrypt`() async throws {
        let relay = try await TestRelay(burst: 1)
        let subscription = try await relay.subscribe()
        #expect(await stray(garbage, to: subscription, of: relay).status == 400)
        #expect(await stray(garbage, to: subscription, of: relay).status == 429)
        #expect(try await relay.push(to: subscription).status == 201)
        relay.clock.advance(by: 1)
        // Neither half-filled bucket lends the other anything.
        #expect(await stray(garbage, to: subscription, of: relay).status == 429)
        #expect(try await relay.push(to: subscription).status == 429)
        relay.clock.advance(by: 1)
        #expect(await stray(garbage, to: subscription, of: relay).status == 400)
        #expect(try await relay.push(to: subscription).status == 201)
    }

    @Test func `bodies that are refused for their number do not put off the next one`() async throws {
        let relay = try await TestRelay(burst: 1)
        let subscription = try await relay.subscribe()
        _ = await stray(garbage, to: subscription, of: relay)
        for _ in 0..<50 { #expect(await stray(garbage, to: subscription, of: relay).status == 429) }
        relay.clock.advance(by: 2)
        #expect(await stray(garbage, to: subscription, of: relay).status == 400)
    }

    @Test(arguments: ["nothing", "no form", "another key", "another coding"])
    func `every body that does not decrypt is a stray`(kind: String) async throws {
        let relay = try await TestRelay(burst: 1)
        let subscription = try await relay.subscribe()
        var fields = fields
        let body: [UInt8]
        switch kind {
        case "nothing": body = []
        case "no form": body = garbage
        case "another key": body = try await relay.subscribe().sender.encrypt(Array(TestRelay.like.utf8))
        default:
            body = garbage
            fields = [("Content-Encoding", "aesgcm"), ("Encryption", "salt=x"), ("Crypto-Key", "dh=x")]
        }
        let first = await relay.request("POST", subscription.path, fields: fields, body: body)
        #expect(first.status == 400)
        #expect(await relay.request("POST", subscription.path, fields: fields, body: body).status == 429)
        #expect(try await relay.push(to: subscription).status == 201)
    }

    @Test func `what decrypts is the sender's, also when it is no message`() async throws {
        let relay = try await TestRelay(burst: 1)
        let subscription = try await relay.subscribe()
        #expect(try await relay.push("{}", to: subscription).status == 400)
        #expect(try await relay.push(to: subscription).status == 429)
        relay.clock.advance(by: 2)
        #expect(await stray(garbage, to: subscription, of: relay).status == 400)
        #expect(try await relay.push(to: subscription).status == 201)
    }

    @Test func `L-06: past the sender's limit no body is even opened`() async throws {
        let relay = try await TestRelay(burst: 1)
        let subscription = try await relay.subscribe()
        #expect(try await relay.push(to: subscription).status == 201)
        #expect(await stray(garbage, to: subscription, of: relay).status == 429)
        relay.clock.advance(by: 2)
        // So that one was not counted as a stray.
        #expect(await stray(garbage, to: subscription, of: relay).status == 400)
    }

    @Test func `a malformed field, an unknown coding and an unknown endpoint spend nothing`() async throws {
        let relay = try await TestRelay(burst: 1)
        let subscription = try await relay.subscribe()
        for _ in 0..<3 {
            let fields = [(name: "Content-Encoding", value: "gzip")]
            #expect(await relay.request("POST", subscription.path, fields: fields, body: garbage).status == 415)
            #expect(try await relay.push(to: subscription, fields: [("TTL", "x")]).status == 400)
            #expect(await relay.request("POST", "/wp/unknown", fields: fields, body: garbage).status == 415)
        }
        #expect(await stray(garbage, to: subscription, of: relay).status == 400)
        #expect(try await relay.push(to: subscription).status == 201)
    }

    @Test func `one subscription's strays are not another's`() async throws {
        let relay = try await TestRelay(burst: 1)
        let one = try await relay.subscribe()
        let other = try await relay.subscribe()
        _ = await stray(garbage, to: one, of: relay)
        #expect(await stray(garbage, to: one, of: relay).status == 429)
        #expect(await stray(garbage, to: other, of: relay).status == 400)
    }

    // MARK: The parts

    private let clock = ManualClock(now: 1_800_000_000)
    private let id = SubscriptionID(hashing: Array("1".utf8))

    private func limits() -> PushLimits {
        let clock = clock
        return PushLimits(uptime: { clock.uptime })
    }

    @Test func `both limits are a burst of 20, and neither is the other`() {
        let limits = limits()
        for _ in 0..<20 { #expect(limits.strays.admit(id) == nil) }
        #expect(limits.strays.admit(id) == RetryAfter(seconds: 2))
        for _ in 0..<20 { #expect(limits.messages.admit(id) == nil) }
        #expect(limits.messages.admit(id) == RetryAfter(seconds: 2))
    }

    @Test(arguments: [(1, 40), (4, 10), (20, 2), (40, 1)])
    func `as many as are taken at once come back within 40 s`(atOnce: Int, wait: Int) {
        let clock = clock
        let limits = PushLimits(atOnce: atOnce, uptime: { clock.uptime })
        for limiter in [limits.messages, limits.strays] {
            for _ in 0..<atOnce { #expect(limiter.admit(id) == nil) }
            #expect(limiter.admit(id) == RetryAfter(seconds: wait))
        }
        clock.advance(by: 40)
        for _ in 0..<atOnce { #expect(limits.messages.admit(id) == nil) }
        #expect(limits.messages.admit(id) != nil)
    }

    @Test func `a subscription that is gone leaves a bucket in neither`() {
        let limits = limits()
        _ = limits.strays.admit(id)
        _ = limits.messages.admit(id)
        limits.forget(id)
        #expect(limits.strays.bucketCount == 0)
        #expect(limits.messages.bucketCount == 0)
    }

    @Test func `to ask how long to wait spends nothing and makes no bucket`() {
        let limiter = limits().messages
        for _ in 0..<100 { #expect(limiter.wait(for: id) == nil) }
        #expect(limiter.bucketCount == 0)
        for _ in 0..<19 { #expect(limiter.admit(id) == nil) }
        for _ in 0..<100 { #expect(limiter.wait(for: id) == nil) }
        #expect(limiter.admit(id) == nil)
        for _ in 0..<100 { #expect(limiter.wait(for: id) == RetryAfter(seconds: 2)) }
    }

    @Test func `to ask how long to wait neither delays nor hastens the next one`() {
        let limiter = limits().messages
        for _ in 0..<20 { _ = limiter.admit(id) }
        clock.advance(by: 1)
        #expect(limiter.wait(for: id) == RetryAfter(seconds: 1))
        clock.advance(by: 1)
        #expect(limiter.wait(for: id) == nil)
        #expect(limiter.admit(id) == nil)
        #expect(limiter.wait(for: id) == limiter.admit(id))
    }
}
