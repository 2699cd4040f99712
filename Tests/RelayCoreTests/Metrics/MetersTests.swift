import APNs
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite struct MetersTests {
    @Test func `each push counts as one outcome, and what it met on the way is counted too`() async throws {
        let relay = try await TestRelay.meetingEveryOutcome()
        let snapshot = relay.meters.snapshot()
        for outcome in PushOutcome.allCases {
            #expect(snapshot.pushes[outcome] == TestRelay.everyOutcome[outcome], "\(outcome)")
        }
        #expect(snapshot.pushesInFlight == 0)
        #expect(snapshot.pushDuration.count == 1)
        #expect(snapshot.lastAcceptedAt == relay.clock.now)
        #expect(snapshot.limits[.messages] == 1)
        #expect(snapshot.limits[.strays] == 1)
        // Of all that were counted and that Apple did not take.
        #expect(snapshot.badgeTakeBacks == 9)
        #expect(snapshot.databaseErrors == 1)
    }

    @Test func `Apple's answers are counted by service, status and reason, and timed`() async throws {
        let snapshot = try await TestRelay.meetingEveryOutcome().meters.snapshot()
        #expect(
            counted(snapshot, .substitute) == [
                "200 ": 1, "400 BadDeviceToken": 4, "400 BadTopic": 1, "410 Unregistered": 1,
                "503 ServiceUnavailable": 1,
            ]
        )
        #expect(counted(snapshot, .production).isEmpty)
        #expect(snapshot.appleDuration.count == 8)
    }

    @Test func `what each of two services says is counted apart`() async throws {
        let sandbox = try await AppleSimulator()
        let relay = try await TestRelay(sandbox: sandbox)
        let subscription = try await relay.subscribe(freshToken("bad0"))
        try await sandbox.perform("answer \(subscription.deviceToken) 200")
        #expect(try await relay.push(to: subscription).status == 201)
        let snapshot = await relay.snapshot()
        #expect(counted(snapshot, .production) == ["400 BadDeviceToken": 1])
        #expect(counted(snapshot, .sandbox) == ["200 ": 1])
        #expect(snapshot.apple.map(\.service) == [.production, .sandbox])
        #expect(snapshot.apple.map(\.traffic.connectionsOpened) == [1, 1])
    }

    private func counted(_ snapshot: Snapshot, _ service: AppleService) -> [String: Int] {
        let counts = zip(CountedAnswer.labels, snapshot.appleAnswers[service.rawValue])
        let named = counts.map { ("\($0.status) \($0.reason)", $1) }
        return Dictionary(uniqueKeysWithValues: named).filter { $0.value > 0 }
    }

    @Test func `a push is in flight from its receipt to its answer`() async throws {
        let relay = try await TestRelay()
        let token = freshToken("401d200")
        let subscription = try await relay.subscribe(token)
        async let response = relay.push(to: subscription)
        _ = try await relay.apple.firstRequest(for: token)
        let during = await relay.snapshot()
        #expect(during.pushesInFlight == 1)
        #expect(during.apple.map(\.traffic) == [Client.Traffic(queued: 0, inFlight: 1, connectionsOpened: 1)])
        try await relay.apple.perform("release \(token)")
        #expect(try await response.status == 201)
        let after = await relay.snapshot()
        #expect(after.pushesInFlight == 0)
        #expect(after.apple.map(\.traffic) == [Client.Traffic(queued: 0, inFlight: 0, connectionsOpened: 1)])
    }

    @Test func `the time of a push begins when the whole request was there`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let response = await relay.request(
            "POST",
            subscription.path,
            body: try subscription.sender.encrypt(Array(TestRelay.like.utf8)),
            receivedAt: .now - .seconds(100)
        )
        #expect(response.status == 201)
        let times = relay.meters.snapshot().pushDuration
        #expect(times.count == 1)
        #expect(times.sum >= 100)
        #expect(times.cumulative.allSatisfy { $0.count == 0 })
        let hours = relay.meters.takeHours()
        #expect(hours.map(\.latencyCount) == [1])
        #expect(hours.allSatisfy { $0.latencyMost >= 100_000 && $0.latencyMilliseconds == $0.latencyMost })
    }

    @Test func `registrations count as one outcome each, and the limits that they met`() async throws {
        let relay = try await TestRelay(maxSubscriptions: 1, registrationsPerHour: 2)
        let device = freshToken()
        _ = try await relay.subscribe(device)
        #expect(await relay.app("POST", "/subscribe", #"{"device_token":"\#(freshToken())"}"#).status == 503)
        #expect(await relay.app("POST", "/subscribe", "{}").status == 400)
        #expect(await relay.request("POST", "/subscribe").status == 401)
        _ = try await relay.subscribe(device)
        #expect(await relay.app("POST", "/subscribe", #"{"device_token":"\#(device)"}"#).status == 429)
        relay.clock.advance(by: 3_600)
        try await relay.store.close()
        #expect(await relay.app("POST", "/subscribe", #"{"device_token":"\#(device)"}"#).status == 503)

        let snapshot = relay.meters.snapshot()
        let expected: [RegistrationOutcome: Int] = [.created: 2, .refused: 2, .limited: 1, .full: 1, .unavailable: 1]
        for outcome in RegistrationOutcome.allCases {
            #expect(snapshot.registrations[outcome] == expected[outcome], "\(outcome)")
        }
        #expect(snapshot.limits[.registrations] == 1)
        #expect(snapshot.limits[.subscriptions] == 1)
        #expect(snapshot.databaseErrors == 1)
    }

    @Test func `a write that fails behind an alert is an error of the database`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let lock = try WriteLock(relay.databasePath)
        #expect(try await relay.push(to: subscription).status == 201)
        try lock.release()
        // The counter, and that it was the first that Apple accepted.
        #expect(relay.meters.snapshot().databaseErrors == 2)
    }

    @Test func `what eight tasks count at once adds up`() async {
        let meters = Meters(startedAt: 0)
        let rounds = 10_000
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for round in 0..<rounds {
                        meters.pushBegan()
                        let outcome = PushOutcome.allCases[round % PushOutcome.allCases.count]
                        meters.pushEnded(outcome, latency: outcome == .accepted ? .seconds(1) : nil, at: 0)
                        meters.answered(.accepted, after: .milliseconds(20), by: .sandbox)
                        meters.registrationEnded(.limited)
                        meters.hit(.strays)
                        meters.badgeTakenBack()
                        meters.databaseFailed()
                    }
                }
            }
        }
        let snapshot = meters.snapshot()
        let all = 8 * rounds
        #expect(PushOutcome.allCases.reduce(0) { $0 + snapshot.pushes[$1] } == all)
        #expect(snapshot.pushes[.accepted] == 8 * 834)
        #expect(snapshot.pushDuration.sum == Double(8 * 834))
        #expect(snapshot.pushesInFlight == 0)
        #expect(snapshot.appleAnswers[AppleService.sandbox.rawValue][0] == all)
        #expect(snapshot.appleDuration.count == all)
        #expect(snapshot.registrations[.limited] == all)
        #expect(snapshot.limits[.registrations] == all)
        #expect(snapshot.limits[.strays] == all)
        #expect(snapshot.badgeTakeBacks == all)
        #expect(snapshot.databaseErrors == all)
        #expect(meters.takeHours().map(\.latencyMilliseconds) == [8 * 834 * 1_000])
    }
}
