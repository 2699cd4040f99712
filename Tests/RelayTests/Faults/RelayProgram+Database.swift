import Crypto
import RelayTesting

@testable import Store

extension Connection {
    /// The first column of each row, as text.
    func rows(_ sql: String) throws -> [String] {
        try prepare(sql, for: .check).all { $0.text(0) }
    }
}

// What the database says, as an operator's own look into it does.
extension RelayProgram {
    private func database() throws -> Connection {
        let connection = try Connection(path: folder.path("relay.sqlite"))
        // The relay may be closing the file at the same moment.
        try connection.configure(busyTimeout: 10_000)
        return connection
    }

    func rows(_ sql: String) throws -> [String] { try database().rows(sql) }

    /// The counters of all rows, in the order of registration.
    func unreadOnDisk() throws -> [Int] {
        try rows("SELECT badge_count FROM subscriptions ORDER BY rowid").compactMap { Int($0) }
    }

    /// The counters of these, in their order.
    func unread(_ endpoints: [Endpoint]) throws -> [Int] {
        let database = try database()
        return try endpoints.map { endpoint in
            let id = Hex.encode(SubscriptionID(hashing: Array(endpoint.subscription_id.utf8)).digest)
            let count = try database.rows("SELECT badge_count FROM subscriptions WHERE hex(id) = upper('\(id)')")
            return count.first.flatMap { Int($0) } ?? -1
        }
    }
}

extension Push {
    /// A comment that is no repetition of another.
    static func comment(_ number: Int) -> String { #"{"title":"New Comment","body":"number \#(number)"}"# }
}
