import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite struct RateLimiterTests {
    let clock = ManualClock(now: 1_800_000_000)

    private func limiter() -> RateLimiter {
        let clock = clock
        return RateLimiter(uptime: { clock.uptime })
    }

    private func id(_ number: Int) -> SubscriptionID { SubscriptionID(hashing: Array("\(number)".utf8)) }

    @Test func `a burst of 20 is admitted, and then one every 2 seconds`() {
        let limiter = limiter()
        for _ in 0..<20 { #expect(limiter.admit(id(1)) == nil) }
        #expect(limiter.admit(id(1)) == RetryAfter(seconds: 2))
        for _ in 0..<5 {
            clock.advance(by: 2)
            #expect(limiter.admit(id(1)) == nil)
            #expect(limiter.admit(id(1)) == RetryAfter(seconds: 2))
        }
    }

    @Test func `what was not used is saved up to 20 and no further`() {
        let limiter = limiter()
        #expect(limiter.admit(id(1)) == nil)
        clock.advance(by: 86_400)
        for _ in 0..<20 { #expect(limiter.admit(id(1)) == nil) }
        #expect(limiter.admit(id(1)) != nil)
    }

    @Test func `the wall clock has no say`() {
        let limiter = limiter()
        for _ in 0..<20 { #expect(limiter.admit(id(1)) == nil) }
        for now in [0, 1_900_000_000] as [Int64] {
            clock.set(now: now)
            #expect(limiter.admit(id(1)) != nil)
        }
    }

    @Test func `a subscription that is forgotten starts anew`() {
        let limiter = limiter()
        for _ in 0..<21 { _ = limiter.admit(id(1)) }
        #expect(limiter.bucketCount == 1)
        limiter.forget(id(1))
        #expect(limiter.bucketCount == 0)
        #expect(limiter.admit(id(1)) == nil)
    }

    @Test func `buckets that have filled up again are dropped`() {
        let limiter = limiter()
        for number in 0..<1_000 { _ = limiter.admit(id(number)) }
        clock.advance(by: 2)
        for number in 1_000..<1_100 { _ = limiter.admit(id(number)) }
        #expect(limiter.bucketCount <= 100)
    }

    @Test func `an unknown id leaves no bucket behind`() async throws {
        let relay = try await TestRelay()
        for number in 0..<100 { _ = await relay.request("POST", "/wp/unknown-\(number)", body: [1]) }
        #expect(relay.limiter.bucketCount == 0)
        _ = try await relay.push(to: relay.subscribe())
        #expect(relay.limiter.bucketCount == 1)
    }

    @Test func `a subscription that is deleted, replaced or dead leaves no bucket behind`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        let replaced = try await relay.subscribe(device)
        _ = try await relay.push(to: replaced)
        let deleted = try await relay.subscribe(device)
        _ = try await relay.push(to: deleted)
        #expect(relay.limiter.bucketCount == 1)
        _ = await relay.app("DELETE", "/subscribe/\(deleted.id)")
        _ = try await relay.push(to: relay.subscribe(freshToken("dead")))
        #expect(relay.limiter.bucketCount == 0)
    }

    @Test(arguments: [
        (Duration.milliseconds(1), 1), (.seconds(1), 1), (.milliseconds(1_001), 2), (.zero, 1), (.seconds(-1), 1),
    ])
    func `a time to wait is rounded up to whole seconds, at least 1`(duration: Duration, seconds: Int) {
        #expect(RetryAfter(rounding: duration).seconds == seconds)
    }
}
