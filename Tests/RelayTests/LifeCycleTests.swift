import Foundation
import Glibc
import RelayCore
import RelayTesting
import Testing

/// The signals that ask for an end.
enum StopSignal: String, CaseIterable {
    case SIGTERM, SIGINT

    var number: Int32 {
        switch self {
        case .SIGTERM: Glibc.SIGTERM
        case .SIGINT: Glibc.SIGINT
        }
    }
}

@Suite(.fewAtATime) struct LifeCycleTests {
    @Test(arguments: StopSignal.allCases)
    func `a signal ends the relay with exit code 0`(signal: StopSignal) async throws {
        let relay = try await RelayProgram(apple: .shared())
        relay.program.signal(signal.number)
        #expect(try await relay.logged("stopping").fields["signal"] == signal.rawValue)
        #expect(try await relay.logged("stopped").fields["finished"] == "true")
        #expect(await relay.program.end() == 0)
        #expect(relay.program.errors == [])
    }

    @Test(arguments: StopSignal.allCases)
    func `a push that Apple has is still answered, and nobody is let in any more`(signal: StopSignal) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken("401d200")
        let endpoint = try await relay.subscribe(device)
        let idle = try HTTPClient(relay.address)
        #expect(try await idle.answer(to: HTTPRequest("GET", "/healthz")).status == 200)

        async let answer = relay.push(to: endpoint)
        _ = try await apple.firstRequest(for: device)
        relay.program.signal(signal.number)
        try await relay.logged("stopping")
        // An idle connection is ended once the listener is closed, so behind its end there is nothing to wait for.
        #expect(try await idle.rest() == [])
        #expect(throws: HTTPClient.Failure("connect", ECONNREFUSED)) { try HTTPClient(relay.address) }

        try await apple.perform("release \(device)")
        #expect(try await answer.status == 201)
        #expect(await relay.program.end() == 0)
        #expect(try await relay.logged("stopped").fields["finished"] == "true")
    }

    @Test func `a push that Apple refuses while the relay stops is answered 502 and not counted`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken("401d503")
        let endpoint = try await relay.subscribe(device)
        async let answer = relay.push(to: endpoint)
        _ = try await apple.firstRequest(for: device)
        relay.program.signal(SIGTERM)
        try await relay.logged("stopping")
        try await apple.perform("release \(device)")
        #expect(try await answer.status == 502)
        #expect(await relay.program.end() == 0)

        let restarted = try await RelayProgram(apple: apple, in: relay.folder)
        try await apple.perform("answer \(device) 200")
        #expect(try await restarted.push(to: endpoint).status == 201)
        #expect(try await apple.requests(for: device).map(\.badge) == [1, 1])
    }

    @Test func `a stop leaves the database and what belongs to it, and the next start goes on with both`() async throws
    {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        #expect(try await relay.push(to: endpoint).status == 201)
        #expect(await relay.stop() == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: relay.folder.url.path).sorted()
        #expect(left.map { $0.dropFirst("relay.sqlite".count) } == ["", ".lock", ".provider-token", ".secret-key"])

        let restarted = try await RelayProgram(apple: apple, in: relay.folder)
        #expect(try await restarted.push(to: endpoint).status == 201)
        #expect(try await apple.requests(for: device).map(\.badge) == [1, 2])
    }

    @Test func `a relay that was killed finds everything it answered for`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let (kept, dropped) = (try await relay.subscribe(device, account: "a"), try await relay.subscribe(device))
        #expect(try await relay.push(to: kept).status == 201)
        #expect(try await relay.answer("DELETE", dropped.settings()).status == 204)
        relay.program.signal(SIGKILL)
        #expect(await relay.program.end() == 128 + SIGKILL)

        let restarted = try await RelayProgram(apple: apple, in: relay.folder)
        #expect(try await restarted.push(to: kept).status == 201)
        #expect(try await restarted.push(to: dropped).status == 404)
        #expect(try await apple.requests(for: device).map(\.badge) == [1, 2])
    }

    @Test func `the database is for its owner's eyes only`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        _ = try await relay.subscribe(freshToken())
        let names = try FileManager.default.contentsOfDirectory(atPath: relay.folder.url.path)
        let modes = try names.map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: relay.folder.path(name))
            return attributes[.posixPermissions] as? Int
        }
        #expect(names.contains("relay.sqlite"))
        #expect(Set(modes) == [0o600])
    }
}
