import Foundation
import Glibc
import RelayCore
import RelayTesting
import Testing

@testable import Store

/// Deaths while a backup takes the place of a database whose newest row is in the log that a killed relay left.
@Suite(.fewAtATime) struct InterruptedRestoreTests {
    @Test(arguments: [("rename", 3), ("fsync", 4), ("unlink", 4), ("pwrite64", 1), ("ftruncate", 1)])
    func `a restore that dies anywhere leaves the old database, the new one, or a start that refuses`(
        call: String,
        atLeast: Int
    ) async throws {
        let source = try await Source()
        var deaths = 0
        while true {
            let folder = try TemporaryFolder()
            try copyFiles(of: source.folder, to: folder.url)
            let files = StoreFiles(database: folder.path("relay.sqlite"))
            let killer = SystemCalls.killer(call, number: deaths + 1, of: [])
            let (end, _) = try await restore(source.backup, in: folder, launcher: killer)
            let isOver = end != 128 + SIGKILL
            var isRestored = false
            if !FileManager.default.fileExists(atPath: files.database) {
                #expect(throws: StoreError.lost(path: files.database)) { try Store(files) }
                #expect(!isOver)
            } else if try names(in: folder, with: ".before-restore-").isEmpty {
                #expect(try LeftBehind(in: folder).rows("SELECT count(*) FROM subscriptions") == ["2"])
                #expect(!isOver)
            } else {
                isRestored = true
                let store = try Store(files)
                #expect(try await store.count() == 1)
                try await store.close()
            }
            if isOver {
                #expect(end == 0)
                break
            }
            // Nothing was moved away a second time: the newest row is in the first of what was.
            let (second, output) = try await restore(source.backup, in: folder)
            #expect(second == 0)
            #expect(try LeftBehind(in: folder).rows("SELECT count(*) FROM subscriptions") == ["1"])
            let aside = try #require(try names(in: folder, with: ".before-restore-").first { $0.hasSuffix("Z") })
            #expect(isRestored || output.contains { $0.hasSuffix(aside) })
            #expect(try await restore(folder.path(aside), in: folder).end == 0)
            #expect(try LeftBehind(in: folder).rows("SELECT count(*) FROM subscriptions") == ["2"])
            deaths += 1
        }
        print("InterruptedRestoreTests: died before each of \(deaths) calls of \(call)")
        #expect(deaths >= atLeast)
    }

    @Test func `a second run says where a database is also when that was not the one of the last start`() async throws {
        let source = try await Source()
        let folder = try TemporaryFolder()
        try copyFiles(of: source.folder, to: folder.url)
        let files = StoreFiles(database: folder.path("relay.sqlite"))
        try await Store(files).close()
        try FileManager.default.moveItem(atPath: files.database, toPath: folder.path("earlier.sqlite"))
        try FileManager.default.copyItem(atPath: folder.path("earlier.sqlite"), toPath: files.database)
        let killer = SystemCalls.killer("rename", number: 2, of: [])
        #expect(try await restore(source.backup, in: folder, launcher: killer).end == 128 + SIGKILL)
        #expect(throws: StoreError.lost(path: files.database)) { try Store(files) }
        let aside = try #require(try names(in: folder, with: ".before-restore-").first)
        let (end, output) = try await restore(source.backup, in: folder)
        #expect(end == 0)
        #expect(output.contains { $0.hasSuffix(aside) })
        #expect(try names(in: folder, with: ".before-restore-") == [aside])
    }

    private func names(in folder: TemporaryFolder, with part: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.contains(part) }.sorted()
    }

    private func restore(
        _ backup: String,
        in folder: TemporaryFolder,
        launcher: [String] = []
    ) async throws -> (end: Int32, output: [String]) {
        let command = launcher + [RelayProgram.executable, "restore", backup]
        let environment = [Variable.databasePath.rawValue: folder.path("relay.sqlite")]
        let program = try Program(command[0], Array(command.dropFirst()), environment: environment)
        let end = await program.end()
        return (end, program.lines)
    }

    /// A database with two rows, and a backup from when it had one.
    private struct Source {
        let folder: TemporaryFolder
        private let elsewhere: TemporaryFolder
        /// Stays open, so that its log is not folded in.
        private let store: Store
        var backup: String { elsewhere.path("backup.sqlite") }

        init() async throws {
            (folder, elsewhere) = (try TemporaryFolder(), try TemporaryFolder())
            store = try Store(StoreFiles(database: folder.path("relay.sqlite")))
            _ = try await store.register(Self.registration())
            try await store.backup(to: elsewhere.path("backup.sqlite"))
            _ = try await store.register(Self.registration())
        }

        private static func registration() -> Registration {
            let device = freshToken()
            return Registration(
                id: SubscriptionID(hashing: Array(device.utf8)),
                deviceToken: device,
                account: "",
                label: "",
                privateKey: [UInt8](repeating: 7, count: 32),
                authSecret: [UInt8](repeating: 9, count: 16),
                createdAt: 0
            )
        }
    }
}
