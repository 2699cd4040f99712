import Foundation
import RelayTesting

@testable import Store

/// What a relay has left, looked at in a copy so that the next start finds it as it was.
struct LeftBehind {
    private let folder: TemporaryFolder

    init(in original: TemporaryFolder) throws {
        folder = try TemporaryFolder()
        try copyFiles(of: original, to: folder.url)
    }

    private var path: String { folder.path("relay.sqlite") }

    /// `ok`, or what is wrong with the file.
    func damage() throws -> [String] { try rows("PRAGMA integrity_check") }

    /// What a query answers, each row as one text.
    func rows(_ sql: String) throws -> [String] {
        try Connection(path: path).prepare(sql, for: .check).all { $0.text(0) }
    }

    /// Opens it as the next start would.
    func store() throws -> Store { try Store(StoreFiles(database: path)) }

    /// Lays it where a relay will find it, in the place of what is there.
    func putBack(to original: TemporaryFolder) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: original.url.path) {
            try FileManager.default.removeItem(atPath: original.path(name))
        }
        try copyFiles(of: folder, to: original.url)
    }
}

/// Copies all but SQLite's shared memory, since no process that could read on in it is left, the lock, which belongs to a
/// file and not to its copy, and the socket, which nobody copies.
func copyFiles(of folder: TemporaryFolder, to target: URL) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    where !["-shm", ".lock", ".control"].contains(where: name.hasSuffix) {
        try FileManager.default.copyItem(atPath: folder.path(name), toPath: target.appending(path: name).path)
    }
}

extension Endpoint {
    /// What its row is found by.
    var storedID: SubscriptionID { SubscriptionID(hashing: Array(subscription_id.utf8)) }
}
