import HTTPServer
import RelayTesting
import Synchronization
import Testing

@testable import RelayCore
@testable import Store
@testable import relay

@Suite(.fewAtATime) struct HousekeepingTests {
    private static let failedAt: Int64 = 1_800_000_000

    /// A relay's parts without a listener, and a second connection to their database.
    private struct Case {
        let folder: TemporaryFolder
        let store: Store
        let parts: Parts
        let other: Other
        let lines = Lines()

        final class Lines: Sendable {
            let all = Mutex<[String]>([])
        }

        /// Another process at the same database.
        final class Other {
            private let connection: Held

            private struct Held: ~Copyable {
                let connection: Connection
            }

            init(_ path: String) throws { connection = Held(connection: try Connection(path: path)) }

            func execute(_ statement: String) throws { try connection.connection.execute(statement, for: .check) }

            func number(_ query: String) throws -> Int64? {
                try connection.connection.prepare(query, for: .check).first { $0.integer(0) } ?? nil
            }
        }

        init(apple: AppleSimulator) throws {
            folder = try TemporaryFolder()
            var variables = RelayProgram.environment(apple, in: folder).byName
            // Nothing to look at outside.
            variables["PUBLIC_URL"] = "http://127.0.0.1:8080"
            let configuration = try Configuration(variables: variables)
            // No patience with a lock, so that a test of one does not wait.
            store = try Store(configuration.storeFiles, busyTimeout: 0, now: HousekeepingTests.failedAt)
            let lines = lines
            parts = Parts(
                configuration,
                store: store,
                workers: try Workers(),
                log: Log(level: .warning, format: .text) { line in lines.all.withLock { $0.append(line) } },
                failures: RecentFailures(now: Clocks.system.now),
                linesLost: { 0 }
            )
            other = try Other(configuration.storeFiles.database)
        }

        /// Registers a device, notes a failure of it, and has one request counted.
        func use() async throws {
            let body = Array(#"{"device_token":"\#(freshToken())"}"#.utf8)
            let fields = [("Authorization", "Bearer \(RelayProgram.subscribeToken)")]
            #expect(await request("POST", "/subscribe", fields, body) == 201)
            let id = try #require(try await store.summaries().first?.id)
            await store.note(id, failure: "none", at: HousekeepingTests.failedAt)
            #expect(await request("POST", "/wp/nobody", [("TTL", "0")], []) == 404)
        }

        private func request(
            _ method: String,
            _ path: String,
            _ fields: [(String, String)],
            _ body: [UInt8]
        ) async -> Int {
            let fields = Fields(fields.map { (name: $0, value: Array($1.utf8)) })
            let head = Head(method: method, target: Array(path.utf8), fields: fields)
            return await parts.routes.respond(to: Request(head: head, body: body)).status
        }

        func keepHouse() async throws {
            let parts = parts
            try await onThread { parts.keepHouse(isFirst: false) }
        }

        /// What is in the file by now.
        func written() throws -> (notes: Int64?, hours: Int64?) {
            (
                try other.number("SELECT count(*) FROM subscriptions WHERE last_failed_at = \(failedAt)"),
                try other.number("SELECT count(*) FROM hours WHERE gone = 1")
            )
        }
    }

    @Test func `once a minute notes and figures are written, after an error the next time`() async throws {
        let one = try Case(apple: await .shared())
        try await one.use()
        #expect(try one.written() == (0, 0))
        try one.other.execute("BEGIN IMMEDIATE")
        try await one.keepHouse()
        // Without the line feed.
        let events = one.lines.all.withLock { $0.compactMap { LogLine(String($0.dropLast()))?.event } }
        #expect(events == ["notes_not_written", "figures_not_written"])
        #expect(try one.written() == (0, 0))
        try one.other.execute("ROLLBACK")
        #expect(await one.parts.numbers.snapshot(http: Server.Load()).databaseErrors == 2)

        try await one.keepHouse()
        #expect(try one.written() == (1, 1))
        try await one.keepHouse()
        #expect(try one.written() == (1, 1))
        #expect(one.lines.all.withLock(\.count) == 2)
    }
}
