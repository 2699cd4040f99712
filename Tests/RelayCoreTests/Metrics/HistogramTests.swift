import Testing

@testable import RelayCore

@Suite struct HistogramTests {
    @Test func `a duration counts in the bucket that it is no longer than, and in all above`() {
        var histogram = Histogram()
        let times: [Duration] = [
            .zero, .milliseconds(5), .milliseconds(5) + .nanoseconds(1), .milliseconds(100), .seconds(10),
            .seconds(10) + .nanoseconds(1), .seconds(60),
        ]
        for time in times { histogram.add(time) }
        #expect(histogram.cumulative.map(\.count) == [2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 5])
        #expect(histogram.count == 7)
        #expect(abs(histogram.sum - 80.11) < 1e-6)
    }

    @Test func `the buckets are written as they are measured, and rise`() {
        for bound in Histogram.bounds { #expect(Double(bound.seconds) == Double(bound.nanoseconds) / 1e9) }
        #expect(Histogram.bounds.map(\.nanoseconds) == Histogram.bounds.map(\.nanoseconds).sorted())
    }

    @Test(arguments: [
        (Duration.seconds(-1), Int64(0)), (.nanoseconds(-1), 0), (.nanoseconds(1), 1), (.seconds(2), 2_000_000_000),
        (.seconds(Int64.max), 1_000_000_000_000_000_000), (.seconds(Int64.min), 0),
    ])
    func `no duration is out of range`(time: Duration, nanoseconds: Int64) {
        #expect(time.nanoseconds == nanoseconds)
    }
}
