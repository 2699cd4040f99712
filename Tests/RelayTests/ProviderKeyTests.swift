import Crypto
import Foundation
import Glibc
import RelayCore
import RelayTesting
import Testing

@Suite(.fewAtATime) struct ProviderKeyTests {
    let folder: TemporaryFolder
    private let other = Vectors.repository.appending(path: "Tests/Vectors/keys/p256-pkcs8.pem")

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A relay whose key file the test can change.
    private func relay(_ apple: AppleSimulator, key: URL) async throws -> RelayProgram {
        try useKey(key)
        return try await RelayProgram(apple: apple, in: folder, [.apnsKeyFile: folder.path("AuthKey.p8")])
    }

    private func useKey(_ file: URL) throws {
        try folder.write(String(contentsOf: file, encoding: .utf8), to: "AuthKey.p8")
    }

    @Test func `SIGHUP has the next push signed with the key that is in the file now`() async throws {
        let apple = try await AppleSimulator()
        let relay = try await relay(apple, key: other)
        let endpoint = try await relay.subscribe(freshToken())
        #expect(try await relay.push(to: endpoint).status == 502)
        #expect(try await relay.logged("apple_refuses_configuration").fields["cause"] == "403 InvalidProviderToken")

        try useKey(URL(filePath: apple.ready.key))
        relay.program.signal(SIGHUP)
        #expect(try await relay.logged("key_read_again").fields["changed"] == "true")
        #expect(try await relay.push(to: endpoint).status == 201)
    }

    @Test func `a push that is under way when the key changes is not lost`() async throws {
        let apple = try await AppleSimulator()
        let relay = try await relay(apple, key: URL(filePath: apple.ready.key))
        let device = freshToken("401d200")
        let endpoint = try await relay.subscribe(device)
        async let answer = relay.push(to: endpoint)
        _ = try await apple.firstRequest(for: device)
        try useKey(other)
        relay.program.signal(SIGHUP)
        try await relay.logged("key_read_again")
        try await apple.perform("release \(device)")
        #expect(try await answer.status == 201)
    }

    @Test func `SIGHUP with the same key changes nothing`() async throws {
        let apple = try await AppleSimulator()
        let relay = try await relay(apple, key: URL(filePath: apple.ready.key))
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        #expect(try await relay.push(Push.like, to: endpoint).status == 201)
        relay.program.signal(SIGHUP)
        #expect(try await relay.logged("key_read_again").fields["changed"] == "false")
        #expect(try await relay.push(Push.like, to: endpoint).status == 201)
        let requests = try await apple.requests(for: device)
        #expect(Set(requests.map(\.connection)).count == 1)
        #expect(Set(requests.map(\.providerToken)).count == 1)
    }

    @Test func `SIGHUP with a file that holds no key keeps the one there is, and says why`() async throws {
        let apple = try await AppleSimulator()
        let relay = try await relay(apple, key: URL(filePath: apple.ready.key))
        let endpoint = try await relay.subscribe(freshToken())
        try folder.write("junk", to: "AuthKey.p8")
        relay.program.signal(SIGHUP)
        let detail = try await relay.logged("key_not_read_again").fields["detail"]
        #expect(detail?.hasPrefix("APNS_KEY_FILE ") == true)
        #expect(try await relay.push(to: endpoint).status == 201)
    }

    @Test func `a restart goes on with the provider token that there is`() async throws {
        let apple = try await AppleSimulator()
        let device = freshToken()
        let relay = try await relay(apple, key: URL(filePath: apple.ready.key))
        let endpoint = try await relay.subscribe(device)
        #expect(try await relay.push(to: endpoint).status == 201)
        #expect(await relay.stop() == 0)

        let restarted = try await self.relay(apple, key: URL(filePath: apple.ready.key))
        #expect(try await restarted.push(to: endpoint).status == 201)
        let tokens = try await apple.requests(for: device).map(\.providerToken)
        #expect(tokens.count == 2)
        #expect(Set(tokens).count == 1)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("relay.sqlite.provider-token"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `a proxy that the environment names is not asked`() async throws {
        let apple = try await AppleSimulator.shared()
        // Nobody listens on port 1.
        let proxies = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
        let others = Dictionary(uniqueKeysWithValues: proxies.map { ($0, "http://127.0.0.1:1") })
        let relay = try await RelayProgram(apple: apple, others: others)
        #expect(try await relay.push(to: relay.subscribe(freshToken())).status == 201)
    }
}
