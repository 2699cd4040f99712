import Foundation
import RelayCore
import RelayTesting
import Testing

/// Apple slow, restless or displeased, and a relay without descriptors (hostile faults F-14, F-15, F-19, F-36, F-45).
@Suite(.fewAtATime) struct LoadFaultTests {
    @Test func `F-14 an Apple that takes 7 s keeps nobody longer than 9, and the rest of the relay does not notice`()
        async throws
    {
        let apple = try await AppleSimulator("--quiet")
        let relay = try await RelayProgram(apple: apple)
        let calm = try await relay.subscribe(freshToken())
        var endpoints: [Endpoint] = []
        for _ in 0..<12 { endpoints.append(try await relay.subscribe(freshToken("510e7000"))) }
        // Each acceptance opens more streams, up to a hundred.
        for number in 0..<8 { #expect(try await relay.push(Push.comment(number), to: calm).status == 201) }
        // Encrypted beforehand: the time is the relay's alone.
        let pushes = try (0..<120).map { try Push.request(Push.comment($0), to: endpoints[$0 % 12]) }
        let answers = try await withThrowingTaskGroup(of: (status: Int, time: Duration).self) { group in
            for push in pushes {
                group.addTask {
                    let began = ContinuousClock.now
                    return (try await HTTPClient.answer(to: push, from: relay.address).status, .now - began)
                }
            }
            try await eventually { try await apple.counts().requests == 8 + 100 }
            let began = ContinuousClock.now
            #expect(try await relay.isWell())
            #expect(ContinuousClock.now - began < .seconds(1))
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.time <= .seconds(9) })
        #expect(Set(answers.map(\.status)).isSubset(of: [201, 502, 503]))
        let accepted = answers.count { $0.status == 201 }
        #expect(accepted > 0 && accepted < 120)
        #expect(try relay.unread(endpoints).reduce(0, +) == accepted)
        #expect(try await relay.push(Push.comment(200), to: calm).status == 201)
    }

    @Test func `F-15 an Apple that ends the connection after every push gets each of them, and once`() async throws {
        let apple = try await AppleSimulator()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        // Eight connections are what it may open in ten seconds.
        for number in 1...7 {
            #expect(try await relay.push(Push.comment(number), to: endpoint).status == 201)
            try await apple.perform("goaway")
        }
        #expect(try await apple.requests(for: device).map(\.badge) == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test func `F-19 a key that Apple refuses costs no row, no badge and one line, and pushes go on when it is mended`()
        async throws
    {
        let apple = try await AppleSimulator()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        try await apple.perform("answer \(device) 403 InvalidProviderToken")
        for number in 0..<6 { #expect(try await relay.push(Push.comment(number), to: endpoint).status == 502) }
        #expect(try relay.unreadOnDisk() == [0])
        try await apple.perform("answer \(device) 200")
        var number = 100
        try await eventually {
            number += 1
            return try await relay.push(Push.comment(number), to: endpoint).status == 201
        }
        #expect(try await apple.requests(for: device).last?.badge == 1)
        #expect(await relay.stop() == 0)
        let said = relay.program.lines.compactMap { LogLine($0) }.filter { $0.event == "apple_refuses_configuration" }
        #expect(said.count == 1)
        #expect(said.first?.fields["cause"] == "403 InvalidProviderToken")
    }

    @Test func `F-36 without a descriptor those who are connected are served, and those who wait once there is one`()
        async throws
    {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        #expect(try await relay.push(to: endpoint).status == 201)
        let connected = try HTTPClient(relay.address)
        #expect(try await connected.answer(to: HTTPRequest("GET", "/healthz")).status == 200)

        let process = relay.program.identifier
        let used = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").compactMap { Int($0) }
        let free = try #require((0...).first { !used.contains($0) })
        try await run(["/usr/bin/prlimit", "--pid", "\(process)", "--nofile=\(free):"])
        let waiting = try HTTPClient(relay.address)
        async let late = waiting.answer(to: HTTPRequest("GET", "/healthz"))
        for number in 0..<10 {
            let request = try Push.request(Push.comment(number), to: endpoint)
            #expect(try await connected.answer(to: request).status == 201)
        }
        #expect(try await connected.answer(to: HTTPRequest("GET", "/healthz")).status == 200)

        try await run(["/usr/bin/prlimit", "--pid", "\(process)", "--nofile=256:"])
        #expect(try await late.status == 200)
        #expect(try await apple.requests(for: device).map(\.badge) == Array(1...11))
        #expect(await relay.stop() == 0)
    }

    @Test func `F-45 twenty pushes for a device that is gone are 404 each, and none is a fault`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken("401d410")
        let endpoint = try await relay.subscribe(device)
        let other = try await relay.subscribe(freshToken())
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                group.addTask { try await relay.push(Push.comment(number), to: endpoint).status }
            }
            try await eventually { try relay.unread([endpoint]) == [20] }
            let releasing = Task {
                while !Task.isCancelled { try? await apple.perform("release \(device)") }
            }
            defer { releasing.cancel() }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == [Int](repeating: 404, count: 20))
        #expect(try relay.unreadOnDisk() == [0])
        #expect(try await relay.push(to: other).status == 201)
    }
}
