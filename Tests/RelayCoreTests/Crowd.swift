import HTTPServer
import RelayTesting
import Synchronization
import Testing

@testable import RelayCore
@testable import Store

/// Twenty accounts on three devices, the senders that push to them and the app that sets, switches and registers anew.
final class Crowd: Sendable {
    /// The first device has ten accounts, the second nine and the third one.
    static let accounts = 20
    /// The account that has a device to itself.
    static let alone = 19
    /// The counts that the app sets on it are further apart than there are pushes.
    static let apart = 10_000

    static func device(of account: Int) -> Int { account < 10 ? 0 : account < alone ? 1 : 2 }

    static func accounts(onDeviceOf account: Int) -> [Int] {
        (0..<accounts).filter { device(of: $0) == device(of: account) }
    }

    /// What the app does with an account.
    private enum Role {
        case leftAlone, switched, set, registeredAnew, setApart
    }

    /// On the two crowded devices each role is there, and several accounts are only pushed to.
    private static func role(of account: Int) -> Role {
        guard account != alone else { return .setApart }
        switch account % 10 {
        case 0, 1: return .registeredAnew
        case 2, 3: return .switched
        case 4, 5: return .set
        default: return .leftAlone
        }
    }

    private struct State {
        var tick = 0
        var subscriptions: [TestSubscription] = []
        var histories = [CounterHistory](repeating: CounterHistory(), count: accounts)
    }

    private let relay: TestRelay
    private let tokens: [String]
    private let state = Mutex(State())
    private let progress = Progress()

    init(_ relay: TestRelay) async throws {
        self.relay = relay
        tokens = (0..<3).map { _ in freshToken() }
        for account in 0..<Self.accounts {
            let start = tick()
            let subscription = try await register(account)
            state.withLock { state in
                state.subscriptions.append(subscription)
                state.tick += 1
                state.histories[account].registered(Interval(start: start, end: state.tick))
            }
        }
    }

    var histories: [CounterHistory] { state.withLock(\.histories) }

    func tick() -> Int {
        state.withLock { state in
            state.tick += 1
            return state.tick
        }
    }

    func row(_ account: Int) async throws -> Subscription? {
        try await relay.row(of: state.withLock { $0.subscriptions[account] })
    }

    /// What Apple saw, by the numbers of the pushes, none of which it may see twice.
    func requests() async throws -> [Int: AppleRequest] {
        var requests: [Int: AppleRequest] = [:]
        for token in tokens {
            for request in try await relay.apple.requests(for: token) {
                let match = try #require(request.payload.firstMatch(of: /"body":"push ([0-9]+)"/))
                let number = try #require(Int(match.1))
                #expect(requests.updateValue(request, forKey: number) == nil, "push \(number) came twice")
            }
        }
        return requests
    }

    /// Pushes to all accounts in turn while the app goes about its business, and Apple fails on the second device at times.
    func run(pushes: Int, inFlight: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<inFlight {
                group.addTask {
                    for number in stride(from: worker, to: pushes, by: inFlight) { try await self.push(number) }
                }
            }
            for account in 0..<Self.accounts {
                group.addTask { try await self.useApp(account, until: pushes * 3 / 4) }
            }
            group.addTask {
                for finished in stride(from: 0, to: pushes, by: 100) {
                    await self.progress.reached(finished)
                    try await self.relay.apple.perform("answer \(self.tokens[1]) 503 ServiceUnavailable 20")
                }
            }
            try await group.waitForAll()
        }
        try await relay.apple.perform("answer \(tokens[1]) -")
    }

    private func push(_ number: Int) async throws {
        let account = number % Self.accounts
        let json = #"{"notification_type":"comment","title":"New Comment","body":"push \#(number)"}"#
        let (subscription, registration, start) = state.withLock { state in
            state.tick += 1
            return (state.subscriptions[account], state.histories[account].registrations, state.tick)
        }
        let response = try await relay.push(json, to: subscription)
        state.withLock { state in
            state.tick += 1
            state.histories[account].pushed(
                CounterHistory.Push(
                    number: number,
                    registration: registration,
                    interval: Interval(start: start, end: state.tick),
                    status: response.status
                )
            )
        }
        await progress.advance()
    }

    /// What the app does for one account, a step for every so many pushes that are finished.
    private func useApp(_ account: Int, until last: Int) async throws {
        for (step, finished) in stride(from: account, to: last, by: 25).enumerated() {
            await progress.reached(finished)
            switch Self.role(of: account) {
            case .leftAlone:
                return
            case .switched:
                let isOn = !step.isMultiple(of: 2)
                try await call("badges", #"{"enabled":\#(isOn)}"#, account) { $0.switched(isOn, $1) }
            case .set where step.isMultiple(of: 3):
                try await call("read", "", account) { $0.set(to: 0, $1) }
            case .set:
                // Small, so that not knowing which of two settings came first leaves little room.
                try await call("unread", #"{"count":\#(step % 5)}"#, account) { $0.set(to: step % 5, $1) }
            case .setApart:
                let count = (step + 1) * Self.apart
                try await call("unread", #"{"count":\#(count)}"#, account) { $0.set(to: count, $1) }
            case .registeredAnew where step.isMultiple(of: 3):
                let start = tick()
                let subscription = try await register(account)
                state.withLock { state in
                    state.tick += 1
                    state.subscriptions[account] = subscription
                    state.histories[account].registered(Interval(start: start, end: state.tick))
                }
            case .registeredAnew:
                try await call("unread", #"{"count":\#(step % 5)}"#, account) { $0.set(to: step % 5, $1) }
            }
        }
    }

    private func register(_ account: Int) async throws -> TestSubscription {
        // The same names on each device, as when somebody has a phone and a tablet.
        try await relay.subscribe(tokens[Self.device(of: account)], account: "account \(account % 10)")
    }

    private func call(
        _ route: String,
        _ body: String,
        _ account: Int,
        _ note: (inout CounterHistory, Interval) -> Void
    ) async throws {
        let (id, start) = (state.withLock { $0.subscriptions[account].id }, tick())
        let response = await relay.app("POST", "/subscribe/\(id)/\(route)", body)
        try #require(response.status == 204)
        state.withLock { state in
            state.tick += 1
            note(&state.histories[account], Interval(start: start, end: state.tick))
        }
    }
}

/// How many pushes are finished, for those who wait for a number of them.
private actor Progress {
    private var finished = 0
    private var waiting: [(number: Int, continuation: CheckedContinuation<Void, Never>)] = []

    func advance() {
        finished += 1
        for waiter in waiting where waiter.number <= finished { waiter.continuation.resume() }
        waiting.removeAll { $0.number <= finished }
    }

    func reached(_ number: Int) async {
        guard finished < number else { return }
        await withCheckedContinuation { waiting.append((number, $0)) }
    }
}
