import APNs
import HTTPServer
import RelayTesting
import Synchronization
import Testing

@testable import RelayCore
@testable import Store

@Suite("Everything at once") struct ConcurrencyTests {
    @Test(arguments: [10, 1_000])
    func `a thousand pushes among all that the app does show badges of some order, and the counters end exact`(
        inFlight: Int
    ) async throws {
        let relay = try await TestRelay(burst: 1_000_000) { $0.longestQueue = 10_000 }
        let crowd = try await Crowd(relay)
        try await crowd.run(pushes: 1_000, inFlight: inFlight)
        try await check(crowd)
    }

    private func check(_ crowd: Crowd) async throws {
        let histories = crowd.histories
        let requests = try await crowd.requests()
        let end = Interval(start: crowd.tick(), end: crowd.tick())
        for (account, history) in histories.enumerated() {
            // What the row says now is what some order gives; without a setting that overlapped a push that is one value.
            let counter = try #require(try await crowd.row(account)?.badgeCount)
            #expect(history.count(in: end).contains(counter), "account \(account)")
            if history.counts.count == 1 {
                #expect(counter == history.pushes.count { $0.status == 201 }, "account \(account)")
            }
            for push in history.pushes {
                let request = requests[push.number]
                let isReplaced = push.registration < history.registrations
                switch push.status {
                case 201, 502: try check(#require(request), of: push, account, histories, isReplaced)
                case 404: #expect(isReplaced && request == nil, "push \(push.number)")
                default: Issue.record("push \(push.number) was answered \(push.status)")
                }
            }
        }
        #expect(histories.contains { $0.pushes.contains { $0.status == 502 } })
        try await checkAlone(crowd, requests)
    }

    /// The badge of one push is a sum that the device's counters may have had while it was under way.
    private func check(
        _ request: AppleRequest,
        of push: CounterHistory.Push,
        _ account: Int,
        _ histories: [CounterHistory],
        _ isReplaced: Bool
    ) throws {
        #expect(request.remarks == [])
        let switches = histories[account].switches(in: push.interval)
        guard let badge = request.badge else {
            // Without a badge: they were off, or the row went before it was counted.
            #expect(switches.contains(false) || isReplaced, "push \(push.number)")
            return
        }
        #expect(switches.contains(true), "push \(push.number)")
        var (least, most) = (0, 0)
        for other in Crowd.accounts(onDeviceOf: account) {
            let share = histories[other].share(in: push.interval)
            least += share.lowerBound
            most += share.upperBound
        }
        #expect((max(1, least)...max(1, most)).contains(badge), "push \(push.number)")
    }

    /// On a device with one account the badges are the counter itself: after each of the app's words they go on from it
    /// by one, none missing and none twice.
    private func checkAlone(_ crowd: Crowd, _ requests: [Int: AppleRequest]) async throws {
        let history = crowd.histories[Crowd.alone]
        let badges = history.pushes.compactMap { requests[$0.number]?.badge }.sorted()
        #expect(badges.count == history.pushes.count)
        var expected: [Int] = []
        for count in history.counts.map(\.value) {
            let following = badges.count { $0 > count && $0 < count + Crowd.apart }
            expected += (count..<count + following).map { $0 + 1 }
        }
        #expect(badges == expected)
        let last = try #require(history.counts.last?.value)
        let counter = try await crowd.row(Crowd.alone)?.badgeCount
        #expect(counter == last + badges.count { $0 > last })
    }

    /// 40 pushes wait at Apple while the app sets the counters of half of the accounts, and 40 more come after that.
    @Test(arguments: [200, 503])
    func `what was under way when the app set a counter counts no more, and what came after does`(
        status: Int
    ) async throws {
        let relay = try await TestRelay()
        let token = freshToken("401d\(status)")
        var accounts: [TestSubscription] = []
        for number in 0..<10 { accounts.append(try await relay.subscribe(token, account: "\(number)")) }
        try await relay.openTheGate()
        try await withThrowingTaskGroup(of: Int.self) { group in
            func push(_ round: Int) async throws {
                for account in accounts {
                    for _ in 0..<4 {
                        group.addTask { try await relay.push(TestRelay.freshComment(), to: account).status }
                    }
                }
                try await relay.apple.waitForRequests(40 * round, for: token)
            }
            try await push(1)
            for (number, account) in accounts.enumerated() where number.isMultiple(of: 2) {
                let (route, body) = number == 0 ? ("read", "") : ("unread", #"{"count":\#(100 * number)}"#)
                #expect(await relay.app("POST", "/subscribe/\(account.id)/\(route)", body).status == 204)
            }
            try await push(2)
            for _ in 0..<80 { try await relay.apple.perform("release \(token)") }
            for try await answer in group { #expect(answer == (status == 200 ? 201 : 502)) }
        }
        for (number, account) in accounts.enumerated() {
            let set = number.isMultiple(of: 2)
            let counted = status == 200 ? (set ? 4 : 8) : 0
            #expect(try await relay.row(of: account)?.badgeCount == (set ? 100 * number : 0) + counted)
        }
        let badges = try await relay.apple.requests(for: token).compactMap(\.badge)
        #expect(badges.count == 80)
        #expect(badges[..<40].sorted() == Array(1...40))
        // 2,000 that the app set, and of the 40 before it those of the other five accounts.
        #expect(badges[40...].sorted() == Array(2_021...2_060))
    }
}

extension TestRelay {
    /// Has Apple accept so many pushes that a hundred may be under way at once.
    fileprivate func openTheGate() async throws {
        let subscription = try await subscribe()
        for _ in 0..<8 { #expect(try await push(TestRelay.freshComment(), to: subscription).status == 201) }
    }
}
