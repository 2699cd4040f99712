import Foundation
import RelayCore
import RelayTesting
import Testing

/// The day on which the disk is gone, and there are a backup and the copy of the key.
@Suite(.fewAtATime) struct RestoreDrillTests {
    @Test func `from a backup and the secret key alone every endpoint answers again`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let devices = [freshToken(), freshToken(), freshToken()]
        var endpoints: [Endpoint] = []
        for device in devices { endpoints.append(try await relay.subscribe(device, account: "a@pixels.example")) }
        #expect(try await relay.push(to: endpoints[0]).status == 201)
        let elsewhere = try TemporaryFolder()
        let backup = elsewhere.path("copy.sqlite")
        let made = try await relay.command("backup", backup, apple: apple)
        #expect(made.code == 0, "\(made.errorText)")
        #expect(made.text.contains("backed up 3 subscriptions to \(backup)"))
        // Of after the backup.
        let late = try await relay.subscribe(freshToken())
        #expect(await relay.stop() == 0)

        let key = try Data(contentsOf: URL(filePath: relay.folder.path("relay.sqlite.secret-key")))
        for name in try FileManager.default.contentsOfDirectory(atPath: relay.folder.url.path) {
            try FileManager.default.removeItem(atPath: relay.folder.path(name))
        }
        try key.write(to: URL(filePath: relay.folder.path("relay.sqlite.secret-key")))
        let restored = try await relay.command("restore", backup, apple: apple)
        #expect(restored.code == 0, "\(restored.errorText)")
        #expect(restored.text.contains("restored 3 subscriptions"))

        let again = try await RelayProgram(apple: apple, in: relay.folder)
        for endpoint in endpoints { #expect(try await again.push(to: endpoint).status == 201) }
        #expect(try await again.push(to: late).status == 404)
        #expect(try await apple.requests(for: devices[0]).map(\.badge) == [1, 2])
        #expect(await again.stop() == 0)
    }

    @Test func `a database that is there is moved aside, and can be put back`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let early = try await relay.subscribe(freshToken())
        let backup = relay.folder.path("copy.sqlite")
        #expect(try await relay.command("backup", backup, apple: apple).code == 0)
        let late = try await relay.subscribe(freshToken())
        let refused = try await relay.command("restore", backup, apple: apple)
        #expect(refused.code == 1)
        #expect(refused.errorText.contains("stop the relay first"))
        #expect(try await relay.push(to: late).status == 201)
        #expect(await relay.stop() == 0)

        let restored = try await relay.command("restore", backup, apple: apple)
        #expect(restored.code == 0, "\(restored.errorText)")
        let aside = try #require(restored.output.first { $0.hasPrefix("the database of before is in ") })
            .dropFirst("the database of before is in ".count)
        let second = try await RelayProgram(apple: apple, in: relay.folder)
        #expect(try await second.push(to: early).status == 201)
        #expect(try await second.push(to: late).status == 404)
        #expect(await second.stop() == 0)

        #expect(try await relay.command("restore", String(aside), apple: apple).code == 0)
        let third = try await RelayProgram(apple: apple, in: relay.folder)
        #expect(try await third.push(to: early).status == 201)
        #expect(try await third.push(to: late).status == 201)
        #expect(await third.stop() == 0)
    }

    @Test func `a new secret key comes with a backup that it opens`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let endpoint = try await relay.subscribe(freshToken())
        #expect(await relay.stop() == 0)
        var environment = RelayProgram.environment(apple, in: relay.folder)
        let without = try await RelayProgram.run(["rotate-key"], environment)
        #expect(without.code == 0)
        #expect(without.output.last?.contains("run relay backup FILE") == true)

        let directory = relay.folder.path("backups")
        environment[.backupDirectory] = directory
        #expect(try await RelayProgram.run(["rotate-key"], environment).code == 0)
        let made = try FileManager.default.contentsOfDirectory(atPath: directory)
        #expect(made.count == 1)
        let backup = "\(directory)/\(try #require(made.first))"
        #expect(try await RelayProgram.run(["restore", backup], environment).code == 0)
        let again = try await RelayProgram(apple: apple, in: relay.folder)
        #expect(try await again.push(to: endpoint).status == 201)
        #expect(await again.stop() == 0)
    }

    @Test(arguments: ["", ".control", "-wal", ".secret-key.copy"])
    func `no backup takes a name of the database's own`(suffix: String) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        #expect(await relay.stop() == 0)
        let ended = try await relay.command("backup", relay.folder.path("relay.sqlite\(suffix)"), apple: apple)
        #expect(ended.code == 1)
        #expect(ended.errorText.contains("choose another"))
    }

    @Test func `a backup is not written over a file, and not by a name that the relay cannot know`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let file = try relay.folder.write("mine", to: "mine.txt")
        let ended = try await relay.command("backup", file, apple: apple)
        #expect(ended.code == 1)
        #expect(ended.errors.count == 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        let nowhere = try await relay.command("backup", apple: apple)
        #expect(nowhere.code == 1)
        #expect(nowhere.errorText.contains("BACKUP_DIR"))
    }
}
