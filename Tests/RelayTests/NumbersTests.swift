import Foundation
import RelayCore
import RelayTesting
import Testing

@Suite(.fewAtATime) struct NumbersTests {
    /// A relay that serves numbers on a Unix socket, and has accepted one push of a subscription with a label.
    private static func relay() async throws -> (relay: RelayProgram, numbers: String) {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        let numbers = "unix:\(folder.path("numbers.sock"))"
        let relay = try await RelayProgram(
            apple: apple,
            in: folder,
            [.metricsAddress: numbers, .backupDirectory: folder.path("backups")]
        )
        let endpoint = try await relay.subscribe(freshToken(), account: "alice@pixels.example", label: "Alice's phone")
        #expect(try await relay.push(to: endpoint).status == 201)
        return (relay, numbers)
    }

    private static func answer(_ method: String, _ target: String, host: String, from address: String) async throws
        -> HTTPAnswer
    {
        let client = try HTTPClient(address)
        try await client.send(Array("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8))
        return try await client.answer()
    }

    @Test func `what it serves is what alerts and dashboard are written against`() async throws {
        let (relay, numbers) = try await Self.relay()
        let answer = try await Self.answer("GET", "/metrics", host: "relay:9464", from: numbers)
        #expect(answer.status == 200)
        #expect(answer.values("Content-Type") == ["text/plain; version=0.0.4; charset=utf-8"])
        let served = answer.text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { $0.dropFirst(7) }
        let list = try String(
            contentsOf: Vectors.repository.appending(path: "Tests/Deploy/metrics.txt"),
            encoding: .utf8
        )
        let named = list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            $0.split(separator: " ").prefix(2).joined(separator: " ")
        }
        // It is known only where the relay can look at its own certificate.
        let unknown = ["relay_public_certificate_expires_timestamp_seconds gauge"]
        #expect(Set(served.map(String.init)) == Set(named).subtracting(unknown))
        #expect(answer.text.contains(#"relay_pushes_total{outcome="accepted"} 1"#))
        #expect(answer.text.contains("\nrelay_subscriptions 1\n"))
        #expect(await relay.stop() == 0)
    }

    @Test(arguments: ["127.0.0.1:9464", "localhost:9464", "[::1]:9464", "10.0.0.7"])
    func `the page is for whoever asks for an address`(host: String) async throws {
        let (relay, numbers) = try await Self.relay()
        let answer = try await Self.answer("GET", "/", host: host, from: numbers)
        #expect(answer.status == 200)
        #expect(answer.values("Content-Type") == ["text/html; charset=utf-8"])
        #expect(answer.values("Cache-Control") == ["no-store"])
        #expect(answer.values("Content-Security-Policy").first?.hasPrefix("default-src 'none'") == true)
        #expect(answer.text.contains("All is well"))
        #expect(answer.text.contains("alice@pixels.example"))
        #expect(await relay.stop() == 0)
    }

    @Test(arguments: ["evil.example", "evil.example:9464", "127.0.0.1.evil.example", "localhost.evil.example"])
    func `a name that leads here gets no page, since it may be a stranger's`(host: String) async throws {
        let (relay, numbers) = try await Self.relay()
        let answer = try await Self.answer("GET", "/", host: host, from: numbers)
        #expect(answer.status == 421)
        #expect(!answer.text.contains("alice"))
        #expect(await relay.stop() == 0)
    }

    @Test func `nothing else is served there, and neither of them where pushes come in`() async throws {
        let (relay, numbers) = try await Self.relay()
        for (method, target, status) in [
            ("GET", "/wp/x", 404), ("GET", "/subscribe", 404), ("POST", "/metrics", 405), ("DELETE", "/", 405),
        ] {
            #expect(try await Self.answer(method, target, host: "localhost", from: numbers).status == status)
        }
        for target in ["/metrics", "/"] {
            #expect(try await Self.answer("GET", target, host: "localhost", from: relay.address).status == 404)
        }
        #expect(await relay.stop() == 0)
    }

    @Test func `an address that is taken stops the start, and the line names the variable`() async throws {
        let apple = try await AppleSimulator.shared()
        let (relay, numbers) = try await Self.relay()
        let folder = try TemporaryFolder()
        var environment = RelayProgram.environment(apple, in: folder)
        environment[.metricsAddress] = numbers
        let ended = try await RelayProgram.run(["serve"], environment)
        #expect(ended.code == 1)
        #expect(ended.errors.count == 1)
        #expect(ended.errors.first?.hasPrefix("relay: METRICS_ADDR: ") == true)
        #expect(await relay.stop() == 0)
    }
}
