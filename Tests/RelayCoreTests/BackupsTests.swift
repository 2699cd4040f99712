import Foundation
import HTTPServer
import RelayTesting
import Synchronization
import Testing

@testable import RelayCore
@testable import Store

@Suite("Scheduled backups") struct BackupsTests {
    private static let day: Int64 = 86_400

    /// A database with a plan, and time that a test lets pass.
    private struct Case {
        let folder: TemporaryFolder
        let clock: ManualClock
        let store: Store
        let lines = Lines()

        final class Lines: Sendable {
            let all = Mutex<[String]>([])
        }

        init() throws {
            folder = try TemporaryFolder()
            clock = ManualClock(now: 1_800_000_000)
            store = try Store(StoreFiles(database: folder.path("relay.sqlite")), busyTimeout: 0, now: clock.now)
        }

        var directory: String { folder.path("backups") }

        func backups(keep: Int = 3) -> Backups {
            let (clock, lines) = (clock, lines)
            return Backups(
                plan: BackupPlan(directory: directory, interval: .seconds(BackupsTests.day), keep: keep),
                store: store,
                clocks: Clocks(now: { clock.now }, uptime: { clock.uptime }),
                log: Log(level: .info, format: .text) { line in lines.all.withLock { $0.append(line) } }
            )
        }

        var names: [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
        }

        var events: [String] {
            lines.all.withLock { $0.compactMap { $0.firstMatch(of: /event=(\w+)/).map { String($0.1) } } }
        }
    }

    @Test func `the first is made at once, and the next when the interval is over`() async throws {
        let one = try Case()
        let backups = one.backups()
        await backups.makeIfDue(isStart: true)
        #expect(one.names.count == 1)
        #expect(backups.newest == one.clock.now)
        one.clock.advance(by: Self.day - 1)
        await backups.makeIfDue()
        #expect(one.names.count == 1)
        one.clock.advance(by: 1)
        await backups.makeIfDue()
        #expect(one.names.count == 2)
        #expect(one.events == ["backup_made", "backup_made"])
    }

    @Test func `a restart makes one, but not each of a loop of restarts`() async throws {
        let one = try Case()
        await one.backups().makeIfDue(isStart: true)
        one.clock.advance(by: 60)
        await one.backups().makeIfDue(isStart: true)
        #expect(one.names.count == 1)
        one.clock.advance(by: 3_600)
        await one.backups().makeIfDue(isStart: true)
        #expect(one.names.count == 2)
    }

    @Test func `as many are kept as are to be, and nothing else in the directory is touched`() async throws {
        let one = try Case()
        let backups = one.backups(keep: 3)
        await backups.makeIfDue()
        try Data("mine".utf8).write(to: URL(filePath: one.directory).appending(path: "notes.txt"))
        let first = one.names.filter { $0 != "notes.txt" }
        for _ in 0..<4 {
            one.clock.advance(by: Self.day)
            await backups.makeIfDue()
        }
        #expect(one.names.count == 4)
        #expect(one.names.contains("notes.txt"))
        #expect(Set(one.names).isDisjoint(with: first))
    }

    @Test func `what the operator asks for ends that they are overdue, and pushes none of them out`() async throws {
        let one = try Case()
        let backups = one.backups(keep: 2)
        await backups.makeIfDue()
        let scheduled = one.names
        one.clock.advance(by: 2 * Self.day + 1)
        #expect(backups.isOverdue)
        for _ in 0..<3 { _ = try await backups.make(at: nil) }
        #expect(!backups.isOverdue)
        #expect(one.names.count == 4)
        one.clock.advance(by: Self.day)
        await backups.makeIfDue()
        #expect(one.names.count == 5)
        #expect(Set(one.names).isSuperset(of: scheduled))
    }

    @Test func `past twice the interval they are overdue, and the next one ends that`() async throws {
        let one = try Case()
        let backups = one.backups()
        await backups.makeIfDue()
        one.clock.advance(by: 2 * Self.day)
        #expect(!backups.isOverdue)
        one.clock.advance(by: 1)
        #expect(backups.isOverdue)
        await backups.makeIfDue()
        #expect(!backups.isOverdue)
    }

    @Test func `where none can be made the log says why, and it is tried again a while later`() async throws {
        let one = try Case()
        // A file in the directory's place.
        try Data().write(to: URL(filePath: one.directory))
        let backups = one.backups()
        await backups.makeIfDue(isStart: true)
        await backups.makeIfDue()
        #expect(backups.failures == 1)
        #expect(one.events == ["backup_failed"])
        #expect(backups.isOverdue)
        try FileManager.default.removeItem(atPath: one.directory)
        one.clock.advance(by: 600)
        await backups.makeIfDue()
        #expect(one.events == ["backup_failed", "backup_made"])
        #expect(one.names.count == 1)
    }

    @Test func `where another relay has its backups there are none, which is overdue`() async throws {
        let (one, other) = (try Case(), try Case())
        await other.backups().makeIfDue()
        let backups = Backups(
            plan: BackupPlan(directory: other.directory, interval: .seconds(Self.day), keep: 1),
            store: one.store,
            clocks: Clocks(now: { one.clock.now + 3_600 }, uptime: { one.clock.uptime }),
            log: Log(level: .error, format: .text) { _ in }
        )
        #expect(!backups.isOverdue)
        await backups.makeIfDue(isStart: true)
        #expect(backups.isOverdue)
        #expect(other.names.count == 1)
    }

    @Test func `a backup that was never made is overdue too, counted from the start`() async throws {
        let one = try Case()
        let backups = one.backups()
        one.clock.advance(by: 2 * Self.day + 1)
        #expect(backups.isOverdue)
    }

    @Test func `health is 503 while backups are overdue`() async throws {
        let folder = try TemporaryFolder()
        let plan = BackupPlan(directory: folder.path("backups"), interval: .seconds(60), keep: 1)
        let relay = try await TestRelay(backups: plan)
        #expect(await relay.request("GET", "/healthz").status == 200)
        relay.clock.advance(by: 121)
        let answer = await relay.request("GET", "/healthz")
        #expect(answer.status == 503)
        #expect(answer.errorWord == "backups_overdue")
    }
}
