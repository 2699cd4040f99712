import Foundation

@testable import Store

/// A directory of one test, removed with it.
final class Folder: Sendable {
    let url: URL

    init(named name: String = "store") throws {
        url = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Where the database of the test is.
    var path: String { path("relay.sqlite") }

    /// The database of the test and its key.
    var files: StoreFiles { StoreFiles(database: path) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func octets(_ name: String = "relay.sqlite") throws -> Data {
        try Data(contentsOf: url.appending(path: name))
    }

    /// What lies in the folder, by name.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
    }

    /// Opens the database as the relay does, but gives up on a lock at once.
    func store(now: Int64 = 1_800_000_000) throws -> Store {
        try Store(files, busyTimeout: 0, now: now)
    }

    /// Runs SQL on the file over a connection of its own.
    func execute(_ sql: String) throws {
        try Connection(path: path, creating: true).execute(sql, for: .read)
    }

    /// What a query answers over a connection of its own, each row as one text.
    func rows(_ sql: String) throws -> [String] {
        try Connection(path: path).prepare(sql, for: .read).all { $0.text(0) }
    }
}

extension Store {
    /// Runs SQL over the store's own connection.
    func execute(_ sql: String) throws {
        try open().connection.execute(sql, for: .read)
    }

    /// What a query answers over the store's own connection, each row as one text.
    func rows(_ sql: String) throws -> [String] {
        try open().connection.prepare(sql, for: .read).all { $0.text(0) }
    }

    /// For how long the store has waited for locks in all.
    func waited() throws -> Duration { try open().connection.patience.waited }

    /// Registers a subscription of which only the named fields matter, and returns its id.
    @discardableResult
    func register(_ name: String, on device: String = phone, account: String = "", at createdAt: Int64 = 0) throws
        -> SubscriptionID
    {
        let registration = registration(name, on: device, account: account, at: createdAt)
        _ = try register(registration)
        return registration.id
    }
}

let phone = String(repeating: "a1", count: 32)
let tablet = String(repeating: "b2", count: 32)
let cap = 2_147_483_647

func id(_ name: String) -> SubscriptionID {
    SubscriptionID(hashing: Array(name.utf8))
}

func registration(
    _ name: String,
    on device: String = phone,
    account: String = "",
    at createdAt: Int64 = 0,
    environment: String? = nil
) -> Registration {
    Registration(
        id: id(name),
        deviceToken: device,
        account: account,
        label: "a label",
        privateKey: [UInt8](repeating: 7, count: 32),
        authSecret: [UInt8](repeating: 9, count: 16),
        createdAt: createdAt,
        environment: environment
    )
}
