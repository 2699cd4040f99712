import Crypto
import Foundation
import Glibc
import RelayCore
import RelayTesting
import Testing

@testable import Store

/// Deaths at the moments where it matters most, between two steps that belong together.
@Suite(.fewAtATime) struct FailpointTests {
    private let apple: AppleSimulator
    private let like = #"{"notification_type":"like","title":"New Like","status_id":"988149955134320972"}"#

    init() async throws { apple = try await .shared() }

    @Test func `a relay that dies before it asks Apple has counted one too many, and the app corrects it`()
        async throws
    {
        let (device, folder, endpoint) = try await killed(at: "after_badge_bump")
        #expect(try await apple.requests(for: device).count == 0)

        let relay = try await RelayProgram(apple: apple, in: folder)
        #expect(try await relay.push(like, to: endpoint).status == 201)
        #expect(try await relay.answer("POST", endpoint.settings("unread"), json: #"{"count":1}"#).status == 204)
        #expect(try await relay.push(to: endpoint).status == 201)
        #expect(try await apple.requests(for: device).map(\.badge) == [2, 2])
    }

    @Test func `a relay that dies with Apple's answer gets the push again, and one banner takes the other's place`()
        async throws
    {
        let (device, folder, endpoint) = try await killed(at: "after_apple")
        #expect(try await apple.requests(for: device).map(\.badge) == [1])

        let relay = try await RelayProgram(apple: apple, in: folder)
        #expect(try await relay.push(like, to: endpoint).status == 201)
        let requests = try await apple.requests(for: device)
        #expect(requests.map(\.badge) == [1, 2])
        let names = requests.map { $0.headers["apns-collapse-id"] ?? "none" }
        #expect(Set(names).count == 1)
        #expect(!names.contains("none"))
    }

    /// Has a relay die over a push, and finds its database whole and the device's other account in it.
    private func killed(at point: String) async throws -> (String, TemporaryFolder, Endpoint) {
        let device = freshToken()
        let relay = try await RelayProgram(apple: apple, others: ["RELAY_FAILPOINT": point])
        let endpoint = try await relay.subscribe(device, account: "alice")
        let other = try await relay.subscribe(device, account: "bob")
        await #expect(throws: HTTPClient.Failure.self) { try await relay.push(like, to: endpoint) }
        #expect(await relay.program.end() == 128 + SIGKILL)

        let copy = try LeftBehind(in: relay.folder)
        #expect(try copy.damage() == ["ok"])
        let store = try copy.store()
        #expect(try await store.subscription(endpoint.storedID)?.badgeCount == 1)
        #expect(try await store.subscription(other.storedID)?.badgeCount == 0)
        return (device, relay.folder, endpoint)
    }
}

/// An old file with its newest rows still in the log, and starts that die while they bring it up to date.
@Suite(.fewAtATime) struct InterruptedMigrationTests {
    @Test func `a start that dies after any statement of the migration leaves it to the next one`() async throws {
        let apple = try await AppleSimulator.shared()
        var statements = 0
        while true {
            let old = try OldDatabase(journal: "WAL")
            let environment = RelayProgram.environment(apple, in: old.folder).byName
            let point = ["RELAY_FAILPOINT": "mid_migration:\(statements + 1)"]
            let end = try await firstStart(environment.merging(point) { $1 })
            try await old.check(with: apple)
            guard end == 128 + SIGKILL else {
                #expect(end == 0)
                break
            }
            statements += 1
        }
        print("InterruptedMigrationTests: died after each of \(statements) statements")
        #expect(statements > 20)
    }

    /// Beyond the statements: what is written when they are committed.
    @Test(arguments: ["WAL", "DELETE"])
    func `a start that dies before any write to its files leaves the migration to the next one`(
        journal: String
    ) async throws {
        let apple = try await AppleSimulator.shared()
        var writes = 0
        while true {
            let old = try OldDatabase(journal: journal)
            let environment = RelayProgram.environment(apple, in: old.folder).byName
            let killer = SystemCalls.killer("pwrite64", number: writes + 1, of: old.files)
            let end = try await firstStart(environment, launcher: killer)
            try await old.check(with: apple)
            guard end == 128 + SIGKILL else {
                #expect(end == 0)
                break
            }
            writes += 1
        }
        print("InterruptedMigrationTests: died before each of \(writes) writes, journal \(journal)")
        #expect(writes > 10)
    }

    /// The exit code of a relay that dies on its way, or is asked to end once it serves.
    private func firstStart(_ environment: [String: String], launcher: [String] = []) async throws -> Int32 {
        let command = launcher + [RelayProgram.executable, "serve"]
        let program = try Program(command[0], Array(command.dropFirst()), environment: environment)
        if await program.line(where: { LogLine($0)?.event == "started" }) != nil { program.signal(SIGTERM) }
        return await program.end()
    }
}

/// What the second release left: one subscription with three unread, and another one.
private struct OldDatabase {
    let folder: TemporaryFolder
    private let device = freshToken()
    private let endpoint: Endpoint

    var files: [String] { ["", "-wal", "-journal"].map { folder.path("relay.sqlite\($0)") } }

    init(journal: String) throws {
        folder = try TemporaryFolder()
        let (key, auth) = (try P256PrivateKey(), try Random.octets(16))
        let (point, secret) = (Base64URL.encode(key.publicPoint), Base64URL.encode(auth))
        let answer = #"{"subscription_id":"an-old-id","endpoint":"","p256dh":"\#(point)","auth":"\#(secret)"}"#
        endpoint = try JSONDecoder().decode(Endpoint.self, from: Data(answer.utf8))

        let source = try TemporaryFolder()
        let connection = try Connection(path: source.path("relay.sqlite"), creating: true)
        // With 512 octets in a page there is more to write than one page for each table.
        try connection.execute(
            """
            PRAGMA page_size = 512;
            PRAGMA journal_mode = \(journal);
            CREATE TABLE subscriptions (id TEXT PRIMARY KEY, device_token TEXT NOT NULL, label TEXT,
                private_key BLOB NOT NULL, auth BLOB NOT NULL, created_at TEXT DEFAULT CURRENT_TIMESTAMP,
                badge_count INTEGER NOT NULL DEFAULT 0);
            INSERT INTO subscriptions (id, device_token, label, private_key, auth) VALUES
                ('an-old-id', '\(device)', 'a phone', x'\(Hex.encode(key.scalar))', x'\(Hex.encode(auth))'),
                ('another', '\(freshToken())', '\(String(repeating: "x", count: 900))', x'07', x'09');
            UPDATE subscriptions SET badge_count = 3 WHERE id = 'an-old-id';
            """,
            for: .check
        )
        // While it is open its log is not folded in.
        try copyFiles(of: source, to: folder.url)
        withExtendedLifetime(connection) {}
    }

    /// Starts the relay on it, and finds both rows, the count and the key that decrypts.
    func check(with apple: AppleSimulator, at location: SourceLocation = #_sourceLocation) async throws {
        #expect(try LeftBehind(in: folder).damage() == ["ok"], sourceLocation: location)
        let relay = try await RelayProgram(apple: apple, in: folder)
        #expect(try await relay.push(to: endpoint).status == 201, sourceLocation: location)
        #expect(try await apple.requests(for: device).map(\.badge) == [4], sourceLocation: location)
        #expect(await relay.stop() == 0, sourceLocation: location)
        let rows = try LeftBehind(in: folder).rows("SELECT count(*) FROM subscriptions")
        #expect(rows == ["2"], sourceLocation: location)
    }
}
