import Testing

@testable import relay

@Suite struct TestAlertTimeTests {
    @Test(arguments: [(nil, true), (0, true), (600_000, true), (-1, false), (1e300, false)] as [(Double?, Bool)])
    func `a time that no relay measures is not one of a relay's`(milliseconds: Double?, isPossible: Bool) {
        #expect(relay.isPossible(milliseconds) == isPossible)
    }
}
