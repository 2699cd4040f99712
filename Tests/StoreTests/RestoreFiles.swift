import Foundation
import Testing

@testable import Store

/// A database and a backup of it, in different places.
struct RestoreFiles {
    let folder: Folder
    let elsewhere: Folder
    var backup: String { elsewhere.path("backup.sqlite") }

    /// 2026-11-30 23:59:59 UTC.
    static let now: Int64 = 1_796_083_199
    /// What makes place then is called this.
    static let aside = "relay.sqlite.before-restore-20261130T235959Z"

    init(in name: String = "store") throws {
        folder = try Folder(named: name)
        elsewhere = try Folder()
    }

    /// Opens a database with "old", of which there is a backup, and "new", which came after it.
    func fill() async throws -> Store {
        let store = try folder.store()
        try await store.register("old")
        try await store.setBadge(id("old"), to: 7)
        try await store.backup(to: backup)
        try await store.register("new", on: tablet)
        return store
    }

    func restore(from path: String? = nil, at time: Int64 = now) throws -> (count: Int, movedAside: String?) {
        try Store.restore(folder.files, from: path ?? backup, now: time)
    }

    func remove(_ names: String...) throws {
        for name in names { try FileManager.default.removeItem(atPath: folder.path(name)) }
    }

    /// Opens what was moved aside under a name of its own, with the key, and counts its rows.
    func rows(in name: String) async throws -> Int {
        let other = try Folder()
        for suffix in ["", "-wal"] where try folder.names().contains(name + suffix) {
            try folder.octets(name + suffix).write(to: URL(filePath: other.path + suffix))
        }
        try folder.octets("relay.sqlite.secret-key").write(to: URL(filePath: other.files.secretKey))
        return try await other.store().count()
    }
}
