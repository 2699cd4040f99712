import Testing

@testable import RelayClient

struct RetryPolicyTests {
    @Test func `each wait is twice the one before, up to the longest`() {
        let policy = RetryPolicy(attempts: 8, firstDelay: 1, longestDelay: 10)
        let delays = (1...8).map { policy.delay(afterAttempt: $0, retryAfter: nil, jitter: 1) }
        #expect(delays == [1, 2, 4, 8, 10, 10, 10, nil])
    }

    @Test(arguments: [(0.0, 2.0), (0.5, 3.0), (1.0, 4.0)])
    func `a wait is half of it at least, and the rest by chance`(jitter: Double, delay: Double) {
        let policy = RetryPolicy(attempts: 5, firstDelay: 1, longestDelay: 30)
        #expect(policy.delay(afterAttempt: 3, retryAfter: nil, jitter: jitter) == delay)
    }

    @Test(arguments: [0, 1, 7, 30] as [Double])
    func `who is asked to wait waits for that long, and up to a first delay more`(asked: Double) {
        let policy = RetryPolicy(attempts: 2, firstDelay: 3, longestDelay: 30)
        #expect(policy.delay(afterAttempt: 1, retryAfter: asked, jitter: 0) == asked)
        #expect(policy.delay(afterAttempt: 1, retryAfter: asked, jitter: 1) == asked + 3)
    }

    @Test func `who is asked to wait for longer than the longest gives up`() {
        #expect(RetryPolicy.standard.delay(afterAttempt: 1, retryAfter: 30, jitter: 0) == 30)
        #expect(RetryPolicy.standard.delay(afterAttempt: 1, retryAfter: 31, jitter: 0) == nil)
    }

    @Test func `the standard is three attempts, after 1 s and 2 s`() {
        let delays = (1...3).map { RetryPolicy.standard.delay(afterAttempt: $0, retryAfter: nil, jitter: 1) }
        #expect(delays == [1, 2, nil])
        #expect(RetryPolicy.none.delay(afterAttempt: 1, retryAfter: 0, jitter: 1) == nil)
    }

    @Test(arguments: [-1, .nan, -.infinity, .infinity, .greatestFiniteMagnitude] as [Double])
    func `figures that make no sense do no harm`(figure: Double) throws {
        let policy = RetryPolicy(attempts: .max, firstDelay: figure, longestDelay: figure)
        for attempt in [1, 2, 64, 1_000] {
            let delay = try #require(policy.delay(afterAttempt: attempt, retryAfter: nil, jitter: 1))
            #expect((0...86_400).contains(delay))
        }
        #expect(
            RetryPolicy(attempts: -3, firstDelay: 1, longestDelay: 1).delay(afterAttempt: 1, retryAfter: nil, jitter: 1)
                == nil
        )
    }

    @Test(
        arguments: [
            ("7", 7), ("0", 0), ("3600", 3_600), (nil, nil), ("", nil), ("-1", nil), ("+7", nil), ("1.5", nil),
            ("７", nil),
            ("9999999999", nil), ("Wed, 21 Oct 2026 07:28:00 GMT", nil),
        ] as [(String?, Double?)]
    )
    func `Retry-After is a number of seconds or counts as not said`(value: String?, seconds: Double?) {
        #expect(Answer.retryAfter(value) == seconds)
    }
}
