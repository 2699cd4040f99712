import RelayTesting
import Testing

@testable import Store

/// Another process that holds the database's lock (hostile fault F-30).
@Suite(.fewAtATime) struct LockFaultTests {
    @Test func `F-30 a locked database keeps nobody waiting in line, costs no alert, and is over with the lock`()
        async throws
    {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let devices = (0..<20).map { _ in freshToken() }
        var endpoints: [Endpoint] = []
        for device in devices { endpoints.append(try await relay.subscribe(device)) }
        // All streams are open and all that Apple teaches is known before the lock.
        for endpoint in endpoints { #expect(try await relay.push(to: endpoint).status == 201) }

        // Encrypted beforehand: the time is the relay's alone.
        let pushes = try endpoints.map { try Push.request(Push.comment(1), to: $0) }
        let lock = try Connection(path: relay.folder.path("relay.sqlite"))
        try lock.execute("BEGIN IMMEDIATE", for: .check)
        let began = ContinuousClock.now
        let answers = try await withThrowingTaskGroup(of: (isPush: Bool, status: Int).self) { group in
            for (endpoint, push) in zip(endpoints, pushes) {
                group.addTask { (true, try await HTTPClient.answer(to: push, from: relay.address).status) }
                group.addTask { (false, try await relay.answer("POST", endpoint.settings("read")).status) }
                group.addTask { (false, try await relay.answer("DELETE", endpoint.settings()).status) }
            }
            group.addTask { (false, try await relay.answer("GET", "/healthz", token: nil).status) }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let time = ContinuousClock.now - began
        #expect(answers.allSatisfy { $0.status == ($0.isPush ? 201 : 503) })
        // One behind the other they would have waited for two minutes.
        #expect(time <= .seconds(9))

        try lock.execute("ROLLBACK", for: .check)
        #expect(try await relay.isWell())
        for (device, endpoint) in zip(devices, endpoints) {
            #expect(try await relay.push(Push.comment(2), to: endpoint).status == 201)
            #expect(try await apple.requests(for: device).map(\.badge) == [1, nil, 2])
        }
    }

    @Test func `F-30 what a push could not take back because of a lock is taken back after it`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken("401d503")
        let endpoint = try await relay.subscribe(device)
        async let answer = relay.push(to: endpoint)
        _ = try await apple.firstRequest(for: device)
        let lock = try Connection(path: relay.folder.path("relay.sqlite"))
        try lock.execute("BEGIN IMMEDIATE", for: .check)
        try await apple.perform("release \(device)")
        #expect(try await answer.status == 502)
        try await relay.logged("badge_not_taken_back")

        try lock.execute("ROLLBACK", for: .check)
        try await apple.perform("answer \(device) 200")
        #expect(try await relay.push(Push.comment(1), to: endpoint).status == 201)
        #expect(try await apple.requests(for: device).map(\.badge) == [1, 1])
    }
}
