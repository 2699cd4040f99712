import Foundation
import RelayCore
import RelayTesting
import Testing

/// What the program does about the files that it keeps, before it starts and while it runs.
@Suite(.fewAtATime) struct KeepingTests {
    /// A folder as a relay with one subscription leaves it.
    private func filled() async throws -> (folder: TemporaryFolder, endpoint: Endpoint, apple: AppleSimulator) {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let endpoint = try await relay.subscribe(freshToken())
        try #require(await relay.stop() == 0)
        return (relay.folder, endpoint, apple)
    }

    private static let losses: [(name: String, what: @Sendable (TemporaryFolder) throws -> Void, says: String)] = [
        (
            "the file is emptied", { try Data().write(to: URL(filePath: $0.path("relay.sqlite"))) },
            "relay: DB_PATH {folder}/relay.sqlite: the file is empty: restore the latest backup with relay "
                + "restore FILE; to begin without any subscription, remove it, {folder}/relay.sqlite-wal and "
                + "{folder}/relay.sqlite.lock"
        ),
        (
            "the file is gone", { try FileManager.default.removeItem(atPath: $0.path("relay.sqlite")) },
            "relay: DB_PATH {folder}/relay.sqlite: the file is gone: is its disk mounted? restore the latest "
                + "backup with relay restore FILE, also where a restore was cut off; to begin without any subscription, remove "
                + "{folder}/relay.sqlite-wal and {folder}/relay.sqlite.lock"
        ),
        (
            "the key is gone", { try FileManager.default.removeItem(atPath: $0.path("relay.sqlite.secret-key")) },
            "relay: RELAY_SECRET_KEY_FILE {folder}/relay.sqlite.secret-key: there is no such file, and subscriptions are "
                + "sealed with the key in it: restore it"
        ),
        (
            "the key is another", { try $0.write(String(repeating: "ab", count: 32), to: "relay.sqlite.secret-key") },
            "relay: RELAY_SECRET_KEY_FILE {folder}/relay.sqlite.secret-key: subscriptions are sealed with another key than "
                + "the one in this file: restore the one that belongs to DB_PATH, and keep this one under another name"
        ),
    ]

    @Test(arguments: losses.indices)
    func `what would make every endpoint unknown is one line with a remedy, and changes nothing`(index: Int)
        async throws
    {
        let loss = Self.losses[index]
        let (folder, _, apple) = try await filled()
        try loss.what(folder)
        func content() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            return try Dictionary(
                uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.url.appending(path: $0))) }
            )
        }
        let before = try content()
        let run = try await RelayProgram.run(["serve"], RelayProgram.environment(apple, in: folder))
        #expect(run.code == 1)
        let real = try #require(
            realpath(folder.url.path, nil).map { path in
                defer { free(path) }; return String(cString: path)
            }
        )
        #expect(
            run.errors.map { $0.replacing(real, with: "{folder}").replacing(folder.url.path, with: "{folder}") } == [
                loss.says
            ]
        )
        #expect(try content() == before)
    }

    @Test func `F-47: a second relay on the same database does not start, and the first goes on`() async throws {
        let apple = try await AppleSimulator.shared()
        let first = try await RelayProgram(apple: apple)
        let endpoint = try await first.subscribe(freshToken())
        let second = try await RelayProgram.run(["serve"], RelayProgram.environment(apple, in: first.folder))
        #expect(second.code == 1)
        #expect(second.errors.count == 1)
        #expect(second.errors.first?.contains("another relay has the database: stop that one first") == true)
        #expect(try await first.push(to: endpoint).status == 201)
    }

    @Test
    func `F-32: a database that is moved away under the relay is 503 everywhere and 404 nowhere, until it is back`()
        async throws
    {
        let relay = try await RelayProgram(apple: .shared())
        let endpoint = try await relay.subscribe(freshToken())
        try FileManager.default.moveItem(atPath: relay.folder.path("relay.sqlite"), toPath: relay.folder.path("away"))
        #expect(try await !relay.isWell())
        #expect(try await relay.push(to: endpoint).status == 503)
        #expect(try await relay.post([0], to: "/wp/AAAAAAAAAAAAAAAAAAAAAA").status == 503)
        #expect(try await relay.answer("DELETE", endpoint.settings()).status == 503)
        let refused = try await relay.logged("refused")
        #expect(refused.fields["detail"]?.contains("was removed or replaced while the relay runs") == true)
        try FileManager.default.moveItem(atPath: relay.folder.path("away"), toPath: relay.folder.path("relay.sqlite"))
        #expect(try await relay.isWell())
        #expect(try await relay.push(to: endpoint).status == 201)
    }

    @Test func `rotate-key gives the database a new key, and endpoints go on`() async throws {
        let (folder, endpoint, apple) = try await filled()
        let environment = RelayProgram.environment(apple, in: folder)
        let old = try Data(contentsOf: folder.url.appending(path: "relay.sqlite.secret-key"))
        // Nothing but the two files is needed for it.
        let run = try await RelayProgram.run(["rotate-key"], [.databasePath: folder.path("relay.sqlite")])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.first?.hasPrefix("sealed 1 subscriptions with a new key") == true)
        #expect(try Data(contentsOf: folder.url.appending(path: "relay.sqlite.secret-key")) != old)

        let relay = try await RelayProgram(apple: apple, in: folder)
        #expect(try await relay.push(to: endpoint).status == 201)
        let again = try await RelayProgram.run(["rotate-key"], environment)
        #expect(again.code == 1)
        #expect(again.errors.first?.contains("another relay has the database") == true)
        #expect(try await relay.push(to: endpoint).status == 201)
    }

    @Test func `rotate-key without a database to work on is a fault of the configuration`() async throws {
        let run = try await RelayProgram.run(["rotate-key"])
        #expect(run.code == 78)
        #expect(run.errors == ["relay: DB_PATH is missing: set it to the path of the SQLite file"])
    }

    @Test func `a key elsewhere is used from there, and a warning says when every user can read it`() async throws {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        let file = try folder.write(String(repeating: "0f", count: 32) + "\n", to: "key", mode: 0o644)
        let relay = try await RelayProgram(apple: apple, in: folder, [.secretKeyFile: file])
        let warning = try await relay.logged("configuration")
        #expect(warning.fields["detail"]?.hasPrefix("RELAY_SECRET_KEY_FILE names a file that every user") == true)
        #expect(await relay.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.path("relay.sqlite.secret-key")))
    }
}
