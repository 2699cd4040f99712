import Foundation
import Testing

@testable import Store

struct BackupDirectoryTests {
    let folder: Folder
    let store: Store
    let directory: BackupDirectory

    /// 2026-11-30 23:59:59 UTC.
    private let now: Int64 = 1_796_083_199

    init() throws {
        folder = try Folder()
        store = try folder.store()
        directory = BackupDirectory(folder.path("backups"))
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    private func put(_ name: String) throws {
        try Data("put there".utf8).write(to: URL(filePath: directory.path).appending(path: name))
    }

    @Test func `a backup is named after its time, in a directory that its owner alone can enter`() async throws {
        #expect(try directory.backups() == [])
        #expect(try directory.newest(at: now) == nil)
        let path = try await store.backup(into: directory, keeping: 3, at: now)
        #expect(path == directory.path + "/relay-20261130T235959Z.sqlite")
        #expect(try directory.newest(at: now) == BackupDirectory.Backup(path: path, time: now))
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    }

    @Test(.enabled("to give files away takes root") { geteuid() == 0 })
    func `what root makes belongs to whom the database does`() async throws {
        chown(folder.path, 12_345, 12_345)
        let paths = [
            directory.path, try await store.backup(into: directory, keeping: 3, at: now), folder.path("copy.sqlite"),
        ]
        try await store.backup(to: paths[2])
        try await store.close()
        for name in ["relay.sqlite.lock", "relay.sqlite.secret-key"] {
            try FileManager.default.removeItem(atPath: folder.path(name))
        }
        try await folder.store().close()
        for path in paths + [folder.files.lock, folder.files.secretKey] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.ownerAccountID] as? NSNumber)?.intValue == 12_345, "\(path)")
        }
    }

    @Test(.enabled("to give files away takes root") { geteuid() == 0 })
    func `what root keeps from before an upgrade belongs to whom the database does`() throws {
        let other = try Folder()
        try other.execute(Age.checked.sql)
        chown(other.path, 12_345, 12_345)
        let files = StoreFiles(database: other.path, backups: other.path("backups"))
        let copy = try #require(try Store(files, busyTimeout: 0, now: now).migrationBackup)
        for path in [other.path("backups"), copy.path, files.lock, files.secretKey] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.ownerAccountID] as? NSNumber)?.intValue == 12_345, "\(path)")
        }
    }

    @Test func `the newest are kept, and nothing that is not a scheduled backup is removed`() async throws {
        try await store.backup(into: directory, keeping: 2, at: now)
        let others = [
            "before-version-4-20200101T000000Z.sqlite", "before-version-3-unsealed-20200101T000000Z.sqlite",
            "relay-20200101T000000Z.sqlite.old", "relay-20200101.sqlite", "relay-20200132T000000Z.sqlite",
            "relay-2020010 T000000Z.sqlite", "my relay-20200101T000000Z.sqlite", "notes", "x.relay-draft",
        ]
        for name in others { try put(name) }
        let subdirectory = "relay-20200102T000000Z.sqlite"
        try FileManager.default.createDirectory(
            atPath: directory.path + "/" + subdirectory,
            withIntermediateDirectories: false
        )
        for hour in 1...3 as ClosedRange<Int64> {
            try await store.backup(into: directory, keeping: 2, at: now + hour * 3_600)
        }
        let kept = ["relay-20261201T015959Z.sqlite", "relay-20261201T025959Z.sqlite"]
        #expect(try names() == (others + kept + [subdirectory]).sorted())
        #expect(try directory.backups().map(\.time) == [now + 7_200, now + 10_800])
    }

    @Test(arguments: [1, 0, -1, .min])
    func `the backup that was just made is never removed`(keep: Int) async throws {
        let first = try await store.backup(into: directory, keeping: 5, at: now)
        let second = try await store.backup(into: directory, keeping: keep, at: now)
        #expect(try directory.backups().map(\.path) == [second])
        #expect(first != second)
    }

    @Test func `backups from the future take no place of the others, and are kept until it is there`() async throws {
        let future = now + 365 * 86_400
        for second in 0..<3 as Range<Int64> { try await store.backup(into: directory, keeping: 2, at: future + second) }
        for hour in 0..<3 as Range<Int64> {
            try await store.backup(into: directory, keeping: 2, at: now + hour * 3_600)
        }
        #expect(try directory.backups().map(\.time) == [now + 3_600, now + 7_200, future + 1, future + 2])
        try await store.backup(into: directory, keeping: 2, at: future + 3)
        #expect(try directory.backups().map(\.time) == [future + 2, future + 3])
    }

    @Test func `a backup by hand removes none and is removed by none, and may be the newest`() async throws {
        let scheduled = try await store.backup(into: directory, keeping: 1, at: now)
        let byHand = try await store.backup(into: directory, keeping: nil, at: now + 1)
        #expect(byHand == directory.path + "/relay-by-hand-20261201T000000Z.sqlite")
        #expect(try directory.backups().map(\.path) == [scheduled])
        #expect(try directory.newest(at: now + 1)?.path == byHand)
        let next = try await store.backup(into: directory, keeping: 1, at: now + 2)
        #expect(try names().map { "\(directory.path)/\($0)" } == [next, byHand].sorted())
        #expect(try directory.newest(at: now + 2)?.path == next)
    }

    @Test func `a backup from the future is not the newest`() async throws {
        let past = try await store.backup(into: directory, keeping: 5, at: now - 100)
        try await store.backup(into: directory, keeping: 5, at: now + 1)
        #expect(try directory.newest(at: now)?.path == past)
    }

    @Test func `two backups within a second both get a name`() async throws {
        let paths = [
            try await store.backup(into: directory, keeping: 5, at: now),
            try await store.backup(into: directory, keeping: 5, at: now),
        ]
        #expect(try directory.backups().map(\.path) == paths)
    }

    @Test func `what a backup that was killed left is removed by the next one`() async throws {
        try directory.create(owner: folder.path)
        let drafts = [
            "relay-20200101T000000Z.sqlite", "relay-by-hand-20200101T000000Z.sqlite",
            "before-version-4-20200101T000000Z.sqlite",
        ]
        for name in drafts { try put(name + BackupDirectory.draftSuffix) }
        try await store.backup(into: directory, keeping: 5, at: now)
        #expect(try names() == ["relay-20261130T235959Z.sqlite"])
    }

    @Test func `a second relay makes no backup in the directory of one that runs, and removes none`() async throws {
        let path = try await store.backup(into: directory, keeping: 1, at: now)
        try put("relay-by-hand-20200101T000000Z.sqlite.relay-draft")
        let before = try names()
        let other = try Folder()
        let second = try other.store()
        for count in [1, nil] {
            let error = await #expect(throws: StoreError.self) {
                try await second.backup(into: directory, keeping: count, at: now + 1)
            }
            #expect(error == .notBackedUp(path: directory.path, because: .backupsInUse(path: directory.path)))
            #expect(error?.description.contains("give each a BACKUP_DIR of its own") == true)
        }
        try await second.close()
        try SealedRelease.first.rewrite(other)
        let files = StoreFiles(database: other.path, backups: directory.path)
        #expect(throws: StoreError.notBackedUp(path: directory.path, because: .backupsInUse(path: directory.path))) {
            try Store(files, busyTimeout: 0, now: now)
        }
        #expect(try names() == before)
        #expect(try await store.backup(into: directory, keeping: 2, at: now + 1) != path)
        try await store.close()
        #expect(try Store(files, busyTimeout: 0, now: now).migrationBackup != nil)
    }

    @Test func `a file in the place of the directory is an error that names it`() async throws {
        try Data().write(to: URL(filePath: directory.path))
        let error = await #expect(throws: StoreError.self) {
            try await store.backup(into: directory, keeping: 5, at: now)
        }
        #expect(error?.description.contains("cannot create the directory \(directory.path) (Not a directory)") == true)
    }

    @Test(arguments: [
        (0, "19700101T000000Z"), (951_782_400, "20000229T000000Z"), (1_796_083_199, "20261130T235959Z"),
        (253_402_300_799, "99991231T235959Z"), (Int64.max, "99991231T235959Z"), (Int64.min, "00000101T000000Z"),
    ])
    func `a time is written so that its text can be read back`(time: Int64, text: String) {
        #expect(UTCStamp.text(time) == text)
        #expect(UTCStamp.time(text[...]) == min(max(time, -62_167_219_200), 253_402_300_799))
    }

    @Test(arguments: [
        "", "20261130T235959", "20261130T235960Z", "20261131T000000Z", "20260229T000000Z", "2026-11-30T2359Z",
        "20261130t235959Z", "20261130T235959Zx", "2026113\u{661}T23595Z", "20261130T245959Z",
    ])
    func `what is no time is not taken for one`(text: String) {
        #expect(UTCStamp.time(text[...]) == nil)
    }
}
