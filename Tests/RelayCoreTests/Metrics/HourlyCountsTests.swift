import Store
import Testing

@testable import RelayCore

@Suite struct HourlyCountsTests {
    @Test func `each outcome is in one class, and each push in the hour in which it ended`() {
        var counts = HourlyCounts()
        for outcome in PushOutcome.allCases {
            counts.add(outcome, latency: outcome == .accepted ? .milliseconds(30) : nil, at: 7_199)
        }
        counts.add(.accepted, latency: .milliseconds(50), at: 7_199)
        counts.add(.accepted, latency: .milliseconds(20), at: 7_200)
        let first = HourlyFigures(
            hour: 1,
            accepted: 2,
            repeated: 1,
            gone: 2,
            refused: 1,
            limited: 1,
            failed: 6,
            latencyCount: 2,
            latencyMilliseconds: 80,
            latencyMost: 50
        )
        let second = HourlyFigures(
            hour: 2,
            accepted: 1,
            latencyCount: 1,
            latencyMilliseconds: 20,
            latencyMost: 20
        )
        #expect(counts.take() == [first, second])
        #expect(counts.take().isEmpty)
    }

    @Test func `what could not be kept comes again with what was counted since`() {
        var counts = HourlyCounts()
        counts.add(.accepted, latency: .milliseconds(90), at: 10)
        counts.add(.accepted, latency: .milliseconds(10), at: 3_600)
        let taken = counts.take()
        counts.add(.accepted, latency: .milliseconds(10), at: 20)
        counts.add(.accepted, latency: .milliseconds(90), at: 3_601)
        counts.add(.failed, latency: nil, at: 7_200)
        counts.putBack(taken)
        let hours = counts.take()
        #expect(hours.map(\.hour) == [0, 1, 2])
        #expect(hours.map(\.accepted) == [2, 2, 0])
        #expect(hours.map(\.latencyCount) == [2, 2, 0])
        #expect(hours.map(\.latencyMilliseconds) == [100, 100, 0])
        #expect(hours.map(\.latencyMost) == [90, 90, 0])
        #expect(hours.map(\.failed) == [0, 0, 1])
    }

    @Test func `a clock that is set back counts into the hour that it says`() {
        var counts = HourlyCounts()
        for now in [7_200, 3_600, 7_201, -1] as [Int64] { counts.add(.limited, latency: nil, at: now) }
        let hours = counts.take()
        #expect(hours.map(\.hour) == [-1, 1, 2])
        #expect(hours.map(\.limited) == [1, 1, 2])
    }

    @Test func `hours that nobody takes are forgotten after two days`() {
        var counts = HourlyCounts()
        for hour in 0..<60 as Range<Int64> { counts.add(.gone, latency: nil, at: hour * 3_600) }
        #expect(counts.take().map(\.hour) == Array(12..<60))
    }
}
