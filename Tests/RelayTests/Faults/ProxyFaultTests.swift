import Glibc
import RelayCore
import RelayTesting
import Testing

/// nginx and the relay restarted under each other (hostile faults F-41 and F-42).
@Suite(
    .fewAtATime,
    .enabled("needs /usr/sbin/nginx, /usr/bin/curl and /usr/bin/openssl") { Nginx.canRun }
)
struct ProxyFaultTests {
    @Test func `F-41 an nginx that is restarted cuts its connections to the relay, and the next push is accepted`()
        async throws
    {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        for number in 1...3 {
            let nginx = try await Nginx(before: relay)
            for part in 0..<2 {
                let body = try Push.body(Push.comment(10 * number + part).utf8, for: endpoint)
                #expect(try await nginx.push(body, to: endpoint.endpoint).statuses == [201])
            }
            #expect(await nginx.stop() == 0)
        }
        #expect(try await apple.requests(for: device).map(\.badge) == Array(1...6))
    }

    @Test func `F-42 a relay that dies over a push is nginx's 502, and nginx sends that push to nobody again`()
        async throws
    {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let nginx = try await Nginx(before: relay)
        let device = freshToken("0ff0")
        let endpoint = try await relay.subscribe(device)
        let body = try Push.body(Push.comment(1).utf8, for: endpoint)
        async let answer = nginx.push(body, to: endpoint.endpoint)
        _ = try await apple.firstRequest(for: device)
        relay.program.signal(SIGKILL)
        #expect(try await answer.statuses == [502])
        #expect(await relay.program.end() == 128 + SIGKILL)

        let restarted = try await RelayProgram(apple: apple, in: relay.folder, [.listenAddress: relay.address])
        try await apple.perform("answer \(device) 200")
        let next = try Push.body(Push.comment(2).utf8, for: endpoint)
        #expect(try await nginx.push(next, to: endpoint.endpoint).statuses == [201])
        #expect(try await apple.requests(for: device).count == 2)
        #expect(try await restarted.isWell())
    }
}
