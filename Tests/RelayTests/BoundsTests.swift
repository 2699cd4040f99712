import Foundation
import RelayCore
import RelayTesting
import Testing

/// The relay stays small and answers its operator whatever comes in.
@Suite(.fewAtATime) struct BoundsTests {
    private func holding(of relay: RelayProgram) throws -> Holding { try Holding(relay.program.identifier) }

    /// Has Apple keep pushes waiting: as many as it may have at once, and the others in front of it.
    private func stall(
        _ count: Int,
        octets: Int,
        _ relay: RelayProgram,
        _ apple: AppleSimulator
    ) async throws -> [HTTPClient] {
        // Each that is accepted lets twice as many follow.
        let opening = try await relay.subscribe(freshToken())
        for number in 0..<8 {
            let text = #"{"title":"New Comment","body":"number \#(number)"}"#
            #expect(try await relay.push(text, to: opening).status == 201)
        }
        let text = #"{"title":"New Comment","body":"nice","padding":"\#(String(repeating: "x", count: octets))"}"#
        var requests: [HTTPRequest] = []
        for _ in 0..<count {
            requests.append(try Push.request(text, to: try await relay.subscribe(freshToken("0ff0"))))
        }
        var senders: [HTTPClient] = []
        for request in requests {
            let sender = try HTTPClient(relay.address)
            try await sender.send(request.octets)
            senders.append(sender)
        }
        return senders
    }

    @Test func `T-09: one connection carries 20,000 requests, and neither memory nor descriptors grow by it`()
        async throws
    {
        let relay = try await RelayProgram(apple: .shared())
        let client = try HTTPClient(relay.address)
        let batch = Array((0..<100).map { _ in HTTPRequest("GET", "/healthz").octets }.joined())
        func ask(times: Int) async throws {
            for _ in 0..<times {
                try await client.send(batch)
                for _ in 0..<100 { #expect(try await client.answer().status == 200) }
            }
        }
        try await ask(times: 20)
        let before = try holding(of: relay)
        try await ask(times: 180)
        let after = try holding(of: relay)
        #expect(after.residentKilobytes - before.residentKilobytes < 2_048)
        #expect(after.descriptors == before.descriptors)
    }

    @Test func `T-12: 5,000 connections under a limit of 256 descriptors come and go, and it answers all the while`()
        async throws
    {
        let relay = try await RelayProgram(apple: .shared(), preparation: "ulimit -n 256")
        for _ in 0..<20 {
            let silent = try (0..<250).map { _ in try HTTPClient(relay.address) }
            #expect(try await relay.isWell())
            withExtendedLifetime(silent) {}
        }
        _ = try await relay.subscribe(freshToken())
    }

    @Test func `as many dripping heads as there are places keep nobody from an answer`() async throws {
        // 192 places.
        let relay = try await RelayProgram(apple: .shared(), preparation: "ulimit -n 256")
        let slow = try (0..<192).map { _ in try HTTPClient(relay.address) }
        for client in slow { try await client.send(Array("GET /healthz HTTP/1.1\r\nHost: a\r\nX: ".utf8)) }
        let dripping = Task {
            while !Task.isCancelled {
                for client in slow { try await client.send([0x78]) }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        defer { dripping.cancel() }
        try await withThrowingTaskGroup(of: (isWell: Bool, time: Duration).self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let began = ContinuousClock.now
                    return (try await relay.isWell(), .now - began)
                }
            }
            // It takes half a second, and 10 s where nobody gives way; between them a slow machine has room.
            for try await answer in group {
                #expect(answer.isWell)
                #expect(answer.time < .seconds(5))
            }
        }
    }

    @Test func `500 idle connections, 200 stalled pushes and a flood of unknown ids leave it well and under 64 MB`()
        async throws
    {
        let apple = try await AppleSimulator("--quiet")
        let relay = try await RelayProgram(apple: apple)
        let idle = try (0..<500).map { _ in try HTTPClient(relay.address) }
        let stalled = try await stall(200, octets: 500, relay, apple)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for connection in 0..<4 {
                group.addTask {
                    let client = try HTTPClient(relay.address)
                    var number = 0
                    while !Task.isCancelled {
                        let path = "/wp/unknown-\(connection)-\(number)"
                        let request = HTTPRequest(
                            "POST",
                            path,
                            fields: Push.fields,
                            body: [UInt8](repeating: 7, count: 500)
                        )
                        #expect(try await client.answer(to: request).status == 404)
                        number += 1
                    }
                    #expect(number > 10)
                }
            }
            for _ in 0..<20 {
                let began = ContinuousClock.now
                #expect(try await relay.isWell())
                #expect(.now - began < .seconds(1))
            }
            let holding = try holding(of: relay)
            #expect(holding.residentKilobytes < 65_536)
            #expect(holding.mostKilobytes < 65_536)
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(try await apple.counts().requests >= 8 + 100)
        var statuses: Set<Int> = []
        for sender in stalled { statuses.insert(try await sender.answer().status) }
        // 503 for what a busy machine had not handed over by then.
        #expect(statuses.isSubset(of: [502, 503]))
        withExtendedLifetime(idle) {}
        #expect(await relay.stop() == 0)
    }

    @Test func `F-37: a thousand bodies of 64 KB, stalled or slow, are 503 before they are more than 64 MB`()
        async throws
    {
        let apple = try await AppleSimulator("--quiet")
        let relay = try await RelayProgram(apple: apple)
        let stalled = try await stall(200, octets: 60_000, relay, apple)
        // All but the last octet of each.
        let head = "POST /wp/x HTTP/1.1\r\nHost: a\r\nTTL: 60\r\nContent-Length: 65536\r\n\r\n"
        let octets = Array(head.utf8) + [UInt8](repeating: 7, count: 65_535)
        var slow: [HTTPClient] = []
        for _ in 0..<800 {
            let client = try HTTPClient(relay.address)
            try await client.send(octets)
            slow.append(client)
        }
        #expect(try await relay.isWell())
        #expect(try holding(of: relay).mostKilobytes < 65_536)

        var statuses: [Int: Int] = [:]
        for sender in stalled { statuses[try await sender.answer().status, default: 0] += 1 }
        // 12 MB do not fit into 8, which are held until Apple's time is up.
        #expect(Set(statuses.keys).isSubset(of: [502, 503]))
        #expect(statuses[503] ?? 0 > 0)
        withExtendedLifetime(slow) {}
        #expect(await relay.stop() == 0)
    }

    @Test func `L-04: 30,000 unknown ids leave the memory as it was after the first 5,000`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let clients = try (0..<4).map { _ in try HTTPClient(relay.address) }
        func flood(_ range: Range<Int>) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, client) in clients.enumerated() {
                    group.addTask {
                        // Fifty in one segment, so that most of the time is the relay's.
                        let numbers = range.filter { $0 % clients.count == index }
                        for start in stride(from: 0, to: numbers.count, by: 50) {
                            let batch = numbers[start..<min(start + 50, numbers.count)]
                            let requests = batch.map { number in
                                HTTPRequest("POST", "/wp/unknown-\(number)", fields: Push.fields, body: [7]).octets
                            }
                            try await client.send(Array(requests.joined()))
                            for _ in batch { #expect(try await client.answer().status == 404) }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await flood(0..<5_000)
        let before = try holding(of: relay)
        try await flood(5_000..<30_000)
        let after = try holding(of: relay)
        #expect(after.residentKilobytes - before.residentKilobytes < 2_048)
        // One line for the flood, and not one for each.
        #expect(relay.program.lines.count { $0.contains("not_found") } <= 2)
        #expect(await relay.stop() == 0)
    }
}
