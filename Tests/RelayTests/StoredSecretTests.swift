import Foundation
import RelayTesting
import Testing

@testable import Store

/// What a copy of the files beside the database tells its finder.
@Suite(
    .fewAtATime,
    .enabled("needs /usr/sbin/nginx, /usr/bin/curl and /usr/bin/openssl") { Nginx.canRun }
)
struct StoredSecretTests {
    /// The files of a stopped relay, but for the one in which the provider token is meant to lie, mode 0600.
    private static func files(in folder: TemporaryFolder) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        let kept = names.filter {
            $0.hasPrefix("relay.sqlite") && !$0.hasSuffix(".provider-token") && !$0.hasSuffix(".control")
        }
        return try Dictionary(
            uniqueKeysWithValues: kept.map { ($0, try Data(contentsOf: folder.url.appending(path: $0))) }
        )
    }

    @Test func `the database holds no token, id, key or text that a whole session had, in any spelling`() async throws {
        let session = try await LeakSession.shared()
        let files = try Self.files(in: session.folder)
        #expect(files["relay.sqlite"] != nil)
        for (name, file) in files { #expect(session.atRest.found(in: file) == [], "\(name)") }
    }

    @Test func `nor do the database and its log while the relay runs`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        #expect(try await relay.push(to: endpoint).status == 201)
        var search = SecretSearch()
        search.add("device token", text: device)
        search.add("id", text: endpoint.subscription_id)
        search.add("auth secret", endpoint.auth.octets)
        let files = try Self.files(in: relay.folder)
        #expect(Set(files.keys).isSuperset(of: ["relay.sqlite", "relay.sqlite-wal", "relay.sqlite-shm"]))
        for (name, file) in files { #expect(search.found(in: file) == [], "\(name)") }
        #expect(await relay.stop() == 0)
    }
}
