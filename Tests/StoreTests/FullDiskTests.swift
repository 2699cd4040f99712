import Foundation
import Glibc
import Testing

@testable import Store

/// Copies for which there is no room.
@Suite(.enabled("a disk of its own takes root: run the tests as root") { SmallDisk.isPossible })
struct FullDiskTests {
    let folder: Folder
    let store: Store
    let disk: String

    init() async throws {
        folder = try Folder()
        disk = folder.path("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        store = try await SmallDisk.store(in: folder, mounting: disk)
    }

    @Test func `a backup for which there is no room leaves nothing half made, and the database is well`() async throws {
        for number in 0..<200 { try await store.register("\(number)", on: "\(number)") }
        let directory = BackupDirectory(disk + "/backups")
        let error = await #expect(throws: StoreError.self) {
            try await store.backup(into: directory, keeping: 3, at: 0)
        }
        #expect(error?.description.hasPrefix("cannot back up to \(directory.path)/relay-1970") == true)
        #expect(error?.description.hasSuffix("make room on the disk") == true, "\(String(describing: error))")
        #expect(try await store.names(in: directory.path) == [])
        try await store.check()

        try await store.execute("DELETE FROM subscriptions WHERE number > 10")
        try await store.backup(into: directory, keeping: 3, at: 0)
        #expect(try await store.names(in: directory.path) == ["relay-19700101T000000Z.sqlite"])
    }

    @Test func `a restore for which there is no room changes nothing`() async throws {
        for number in 0..<200 { try await store.register("\(number)", on: "\(number)") }
        let backup = folder.path("backup.sqlite")
        try await store.backup(to: backup)
        let files = StoreFiles(database: disk + "/relay.sqlite", secretKey: folder.files.secretKey)
        let error = await #expect(throws: StoreError.self) { try await store.restore(files, from: backup) }
        #expect(error?.description.hasSuffix("make room on the disk") == true, "\(String(describing: error))")
        #expect(try await store.names(in: disk) == ["relay.sqlite.lock"])
    }
}

/// A file system of 64 KB that only the thread of one store sees, and that is gone with it.
private enum SmallDisk {
    static let isPossible = geteuid() == 0 && onThreadOfItsOwn { isolate() }

    static func store(in folder: Folder, mounting path: String) async throws -> Store {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        guard isolate(), mount("none", path, "tmpfs", 0, "size=64k") == 0 else {
                            throw POSIXError(.EPERM)
                        }
                        // The store's thread is made by this one, and sees what it sees.
                        return try folder.store()
                    }
                )
            }
        }
    }

    /// Gives the calling thread mounts of its own.
    private static func isolate() -> Bool {
        // Not in Swift's Glibc.
        guard let unshare = dlsym(nil, "unshare") else { return false }
        let newMounts: Int32 = 0x2_0000
        let (recursive, isPrivate): (UInt, UInt) = (1 << 14, 1 << 18)
        return unsafeBitCast(unshare, to: (@convention(c) (Int32) -> Int32).self)(newMounts) == 0
            && mount("none", "/", nil, recursive | isPrivate, nil) == 0
    }

    private static func onThreadOfItsOwn(_ body: @escaping @Sendable () -> Bool) -> Bool {
        let (done, answer) = (DispatchSemaphore(value: 0), Answer())
        Thread.detachNewThread {
            answer.isYes = body()
            done.signal()
        }
        done.wait()
        return answer.isYes
    }

    /// Written before the signal and read after it.
    private final class Answer: @unchecked Sendable {
        var isYes = false
    }
}

extension Store {
    /// What is in a directory as the store's thread sees it.
    fileprivate func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    /// Restores other files on the store's thread.
    fileprivate func restore(_ files: StoreFiles, from path: String) throws -> Int {
        try Store.restore(files, from: path).count
    }
}
