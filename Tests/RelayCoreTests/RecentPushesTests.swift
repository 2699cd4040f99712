import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite("Pushes that are remembered") struct RecentPushesTests {
    private let clock = ManualClock(now: 1_800_000_000)
    private let recent: RecentPushes

    init() {
        let clock = clock
        recent = RecentPushes(capacity: 100, uptime: { clock.uptime })
    }

    private func subscription(_ name: String, account: String = "alice") -> Subscription {
        Subscription(
            id: SubscriptionID(hashing: Array(name.utf8)),
            deviceToken: "abcdef0123456789",
            account: account,
            label: "",
            privateKey: [],
            publicKey: nil,
            authSecret: [],
            badgeCount: 0,
            badgesEnabled: true,
            createdAt: 0,
            environment: nil,
            acceptedAt: nil,
            vapidKey: nil
        )
    }

    /// A text as one of its encryptions.
    private func content(_ text: String, encrypted body: String) -> RecentPushes.Content {
        RecentPushes.Content(plaintext: Array(text.utf8), body: Array(body.utf8))
    }

    @Test func `the same body again is a repetition for two minutes after it was accepted`() {
        let phone = subscription("phone")
        let content = content("nice", encrypted: "1")
        #expect(!recent.isRepetition(content, for: phone))
        recent.accepted(content, for: phone)
        #expect(recent.isRepetition(content, for: phone))
        clock.advance(by: 119)
        #expect(recent.isRepetition(content, for: phone))
        clock.advance(by: 1)
        #expect(!recent.isRepetition(content, for: phone))
    }

    @Test func `an equal text that was encrypted anew is none, unless a sibling failed with it`() {
        let phone = subscription("phone")
        recent.accepted(content("nice", encrypted: "1"), for: phone)
        #expect(!recent.isRepetition(content("nice", encrypted: "2"), for: phone))
        recent.failed(content("nice", encrypted: "3"), for: subscription("tablet"))
        #expect(recent.isRepetition(content("nice", encrypted: "2"), for: phone))
    }

    @Test func `it does not matter whether the sibling failed before or after the acceptance`() {
        let phone = subscription("phone")
        recent.failed(content("nice", encrypted: "3"), for: subscription("tablet"))
        recent.accepted(content("nice", encrypted: "1"), for: phone)
        #expect(recent.isRepetition(content("nice", encrypted: "2"), for: phone))
    }

    @Test func `the failure of a sibling is remembered for two minutes as well`() {
        let phone = subscription("phone")
        recent.failed(content("nice", encrypted: "3"), for: subscription("tablet"))
        clock.advance(by: 119)
        recent.accepted(content("nice", encrypted: "1"), for: phone)
        #expect(recent.isRepetition(content("nice", encrypted: "2"), for: phone))
        clock.advance(by: 1)
        #expect(!recent.isRepetition(content("nice", encrypted: "2"), for: phone))
        #expect(recent.isRepetition(content("nice", encrypted: "1"), for: phone))
    }

    @Test func `a failure of its own row, of another account or with another text is no sibling's`() {
        let phone = subscription("phone")
        recent.accepted(content("nice", encrypted: "1"), for: phone)
        recent.failed(content("nice", encrypted: "2"), for: phone)
        recent.failed(content("nice", encrypted: "3"), for: subscription("tablet", account: "bob"))
        recent.failed(content("nice", encrypted: "3"), for: subscription("tablet", account: ""))
        recent.failed(content("nicer", encrypted: "4"), for: subscription("tablet"))
        #expect(!recent.isRepetition(content("nice", encrypted: "5"), for: phone))
    }

    @Test func `accounts are compared octet for octet`() {
        let phone = subscription("phone", account: "caf\u{E9}")
        recent.accepted(content("nice", encrypted: "1"), for: phone)
        recent.failed(content("nice", encrypted: "2"), for: subscription("tablet", account: "cafe\u{301}"))
        #expect(!recent.isRepetition(content("nice", encrypted: "3"), for: phone))
    }

    @Test func `what failed and was never accepted is no repetition, whoever else failed`() {
        let phone = subscription("phone")
        let content = content("nice", encrypted: "1")
        recent.failed(content, for: phone)
        recent.failed(content, for: subscription("tablet"))
        #expect(!recent.isRepetition(content, for: phone))
    }

    @Test func `what one row accepted is nothing to another`() {
        let content = content("nice", encrypted: "1")
        recent.accepted(content, for: subscription("phone"))
        #expect(!recent.isRepetition(content, for: subscription("tablet")))
    }

    @Test func `the wall clock has no say`() {
        let phone = subscription("phone")
        let content = content("nice", encrypted: "1")
        recent.accepted(content, for: phone)
        for now in [0, 2_000_000_000] as [Int64] {
            clock.set(now: now)
            #expect(recent.isRepetition(content, for: phone))
        }
    }

    @Test func `no more is remembered than there is room for, and the oldest goes first`() {
        let phone = subscription("phone")
        for number in 0..<10_000 {
            recent.accepted(content("accepted \(number)", encrypted: "\(number)"), for: phone)
            recent.failed(content("failed \(number)", encrypted: "\(number)"), for: phone)
            if number.isMultiple(of: 50) { clock.advance(by: 1) }
            #expect(recent.count <= 200)
        }
        #expect(recent.isRepetition(content("accepted 9999", encrypted: "9999"), for: phone))
        #expect(recent.isRepetition(content("accepted 9960", encrypted: "9960"), for: phone))
        #expect(!recent.isRepetition(content("accepted 9899", encrypted: "9899"), for: phone))
    }

    @Test func `of one text few bodies and few failed rows are remembered`() {
        let phone = subscription("phone")
        for number in 0..<1_000 {
            recent.accepted(content("nice", encrypted: "\(number)"), for: phone)
            recent.failed(content("nice", encrypted: "\(number)"), for: subscription("device \(number)"))
        }
        #expect(recent.count == 2)
        #expect(recent.isRepetition(content("nice", encrypted: "0"), for: phone))
    }
}

@Suite struct RecentMemoryTests {
    @Test func `a value is forgotten after its time, and setting it begins the time anew`() {
        var memory = RecentMemory<String, Int>(capacity: 10, lifetime: .seconds(120))
        memory.set(1, for: "a", at: .zero)
        #expect(memory.value(for: "a", at: .seconds(119)) == 1)
        #expect(memory.value(for: "a", at: .seconds(120)) == nil)
        memory.set(2, for: "a", at: .seconds(119))
        #expect(memory.value(for: "a", at: .seconds(238)) == 2)
        #expect(memory.value(for: "b", at: .zero) == nil)
    }

    @Test func `what has had its time goes before what has not`() {
        var memory = RecentMemory<Int, Int>(capacity: 10, lifetime: .seconds(120))
        for key in 0..<5 { memory.set(key, for: key, at: .zero) }
        for key in 5..<11 { memory.set(key, for: key, at: .seconds(120)) }
        #expect(memory.count == 6)
        #expect((5..<11).allSatisfy { memory.value(for: $0, at: .seconds(121)) == $0 })
    }

    @Test(arguments: [1, 2, 3])
    func `a memory of few places holds the last value and no more than it has room for`(capacity: Int) {
        var memory = RecentMemory<Int, Int>(capacity: capacity, lifetime: .seconds(120))
        for key in 0..<100 {
            memory.set(key, for: key, at: .milliseconds(key))
            #expect(memory.count <= max(capacity, 1))
            #expect(memory.value(for: key, at: .milliseconds(key)) == key)
        }
    }
}
