@testable import Store

/// Another process in the way: a second connection that holds the database's write lock.
final class WriteLock {
    private let connection: Held

    private struct Held: ~Copyable {
        let connection: Connection
    }

    init(_ path: String) throws {
        let connection = try Connection(path: path)
        try connection.execute("BEGIN IMMEDIATE", for: .check)
        self.connection = Held(connection: connection)
    }

    func release() throws {
        try connection.connection.execute("ROLLBACK", for: .check)
    }
}
