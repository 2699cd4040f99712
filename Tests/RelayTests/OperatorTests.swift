import Foundation
import Glibc
import RelayCore
import RelayTesting
import Testing

@testable import Store

extension RelayProgram {
    /// Runs a command as the operator of this relay does, with the environment that it was started with.
    func command(_ arguments: String..., apple: AppleSimulator) async throws -> Ended {
        var environment = Self.environment(apple, in: folder)
        // Where an instance would come in, were there an nginx.
        environment[.publicURL] = "http://\(address)"
        return try await Self.run(arguments, environment)
    }
}

extension RelayProgram.Ended {
    var text: String { output.joined(separator: "\n") }
    var errorText: String { errors.joined(separator: "\n") }

    func reports() throws -> [SubscriptionReport] {
        try JSONDecoder().decode([SubscriptionReport].self, from: Data(text.utf8))
    }
}

@Suite(.fewAtATime) struct OperatorTests {
    @Test func `subscriptions lists what became of each, and nothing that opens an endpoint or names a device`()
        async throws
    {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let (device, failing) = (freshToken(), freshToken("fa119"))
        let first = try await relay.subscribe(device, account: "alice@pixels.example", label: "my phone")
        let second = try await relay.subscribe(failing, label: "a tablet\u{1b}[2J\n")
        #expect(try await relay.push(to: first).status == 201)
        #expect(try await relay.push(to: second).status == 502)

        let reports = try await relay.command("subscriptions", "--json", apple: apple).reports()
        #expect(reports.map(\.label) == ["my phone", "a tablet\u{1b}[2J\n"])
        #expect(reports.map(\.account) == ["alice@pixels.example", ""])
        #expect(reports.map(\.badge) == [1, 0])
        #expect(reports[0].lastAcceptedAt != nil && reports[0].lastFailedAt == nil)
        #expect(reports[1].lastAcceptedAt == nil && reports[1].lastFailedAt != nil)
        #expect(reports[1].lastFailure?.isEmpty == false)

        let table = try await relay.command("subscriptions", apple: apple)
        #expect(table.code == 0)
        #expect(table.output.count == 3)
        #expect(table.output.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } })
        for secret in [device, failing, first.subscription_id, second.subscription_id] {
            #expect(!table.text.contains(secret))
        }
    }

    @Test func `send goes the whole way and tells each hop, and counts nothing`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        _ = try await relay.subscribe(device, label: "my phone")
        let hash = try #require(try await relay.command("subscriptions", "--json", apple: apple).reports().first?.hash)
        let sent = try await relay.command("send", hash, apple: apple)
        #expect(sent.code == 0, "\(sent.errorText)")
        #expect(sent.output.first == "a test alert to \(hash), my phone")
        for hop in ["name look-up", "connection", "to the relay and back", "found and decrypted", "Apple", "in all"] {
            #expect(sent.output.contains { $0.contains("  \(hop) ") && $0.contains(" ms") }, "\(hop)")
        }
        #expect(sent.text.contains("accepted"))
        #expect(try await apple.requests(for: device).map(\.badge) == [nil])
    }

    @Test(arguments: [("fa119", "apple_failed"), ("dead", "not_found")])
    func `send that does not arrive ends with 1 and says what Apple said`(prefix: String, word: String) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        _ = try await relay.subscribe(freshToken(prefix))
        let hash = try #require(try await relay.command("subscriptions", "--json", apple: apple).reports().first?.hash)
        let sent = try await relay.command("send", hash, apple: apple)
        #expect(sent.code == 1)
        #expect(sent.output.contains { $0.hasSuffix("failed: \(word)") })
        #expect(sent.output.last?.hasPrefix("  -> ") == true)
        #expect(!sent.text.contains("("), "\(sent.text)")
        #expect(!sent.text.contains("accepted"))
    }

    @Test func `remove ends a subscription, and its endpoint is 404 from then on`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let endpoint = try await relay.subscribe(freshToken(), label: "an old phone")
        let hash = try #require(try await relay.command("subscriptions", "--json", apple: apple).reports().first?.hash)
        let removed = try await relay.command("remove", hash, apple: apple)
        #expect(removed.code == 0)
        #expect(removed.output.first == "removed \(hash), an old phone")
        #expect(try await relay.push(to: endpoint).status == 404)
        let again = try await relay.command("remove", hash, apple: apple)
        #expect(again.code == 1)
        #expect(again.errorText.contains("there is no subscription of that hash"))
        #expect(try await relay.command("subscriptions", apple: apple).text.contains("open the app"))
    }

    @Test(arguments: ["zz", "../facts", "abc", "0123456g", String(repeating: "a", count: 65)])
    func `what is no hash is said to be none`(hash: String) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        for command in ["remove", "send"] {
            let ended = try await relay.command(command, hash, apple: apple)
            #expect(ended.code == 1)
            #expect(ended.errors.count == 1)
            #expect(ended.errorText.contains("that is no hash of a subscription"))
        }
    }

    @Test func `where no relay runs a command opens the database itself, but for what needs one`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        _ = try await relay.subscribe(freshToken(), label: "my phone")
        #expect(await relay.stop() == 0)
        let reports = try await relay.command("subscriptions", "--json", apple: apple).reports()
        #expect(reports.map(\.label) == ["my phone"])
        let sent = try await relay.command("send", reports[0].hash, apple: apple)
        #expect(sent.code == 1)
        #expect(sent.errorText.contains("the relay does not run"))
        #expect(try await relay.command("remove", reports[0].hash, apple: apple).code == 0)
        #expect(try await relay.command("subscriptions", "--json", apple: apple).reports().isEmpty)
    }

    @Test func `a command leaves a database of an earlier release to a start, which warns of the copy in the clear`()
        async throws
    {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        let database = folder.path("relay.sqlite")
        do {
            let connection = try Connection(path: database, creating: true)
            try connection.execute(
                """
                CREATE TABLE subscriptions (id TEXT PRIMARY KEY, device_token TEXT NOT NULL, label TEXT,
                    private_key BLOB NOT NULL, auth BLOB NOT NULL, created_at TEXT DEFAULT CURRENT_TIMESTAMP)
                """,
                for: .open
            )
        }
        let octets = try Data(contentsOf: URL(filePath: database))
        for command in [["subscriptions", "--json"], ["backup", folder.path("copy.sqlite")], ["remove", "01234567"]] {
            let ended = try await RelayProgram.run(command, RelayProgram.environment(apple, in: folder))
            #expect(ended.code == 1)
            #expect(ended.errors.count == 1)
            #expect(ended.errorText.contains("of an earlier release: start the relay once"))
        }
        #expect(try Data(contentsOf: URL(filePath: database)) == octets)
        for _ in 0..<2 {
            let relay = try await RelayProgram(apple: apple, in: folder, [.backupDirectory: folder.path("backups")])
            let warning = try await relay.logged("backup_before_upgrade")
            #expect(warning.fields["path"]?.contains("-unsealed-") == true)
            #expect(warning.fields["remedy"]?.contains("delete it") == true)
            #expect(await relay.stop() == 0)
        }
        #expect(try await RelayProgram.run(["subscriptions"], RelayProgram.environment(apple, in: folder)).code == 0)
    }

    @Test func `a command does not make a database where there is none`() async throws {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        for command in ["subscriptions", "backup"] {
            let ended = try await RelayProgram.run([command], RelayProgram.environment(apple, in: folder))
            #expect(ended.code == 1)
            #expect(ended.errors.count == 1)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test(arguments: ["subscriptions", "--help", "--version"])
    func `what cannot be written whole ends with 1`(command: String) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        var environment = RelayProgram.environment(apple, in: relay.folder)
        environment[.publicURL] = "http://\(relay.address)"
        let full = ["/bin/sh", "-c", #"exec "$0" "$@" >/dev/full"#]
        let ended = try await RelayProgram.run([command], environment, launcher: full)
        #expect(ended.code == 1)
        #expect(ended.errorText.contains("cannot write to standard output"))
    }

    @Test(arguments: [Variable.apnsKeyFile, .secretKeyFile, .apnsCAFile])
    func `a pipe in the place of a file is said to be one, and not waited for`(variable: Variable) async throws {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        var environment = RelayProgram.environment(apple, in: folder)
        environment[variable] = pipe
        let ended = try await RelayProgram.run(["serve"], environment)
        #expect([1, 78].contains(ended.code))
        #expect(ended.errors.count == 1)
        #expect(ended.errorText.contains(variable.rawValue))
    }

    @Test func `the control socket is its owner's alone, and one of a killed relay is taken over`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let path = relay.folder.path("relay.sqlite.control")
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
        #expect(status.st_mode & S_IFMT == S_IFSOCK)
        relay.program.signal(SIGKILL)
        #expect(await relay.program.end() == 128 + SIGKILL)
        let restarted = try await RelayProgram(apple: apple, in: relay.folder)
        #expect(try await restarted.command("subscriptions", apple: apple).code == 0)
        #expect(await restarted.stop() == 0)
        #expect(stat(path, &status) != 0)
    }

    @Test func `healthcheck says ok, or in one line what is wrong`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let well = try await RelayProgram.run(["healthcheck"], [.listenAddress: relay.address])
        #expect(well.code == 0)
        #expect(well.output == ["ok"])
        #expect(await relay.stop() == 0)
        let gone = try await RelayProgram.run(["healthcheck"], [.listenAddress: relay.address])
        #expect(gone.code == 1)
        #expect(gone.output.count == 1)
    }
}
