import Crypto
import Glibc

extension Store {
    /// Seals every secret anew with a key that is made for it, and returns how many subscriptions there are.
    ///
    /// For a relay that does not run. One transaction: after a crash the rows are sealed with the old key or with the new
    /// one, and the file holds both until it is certain which.
    package static func rotateKey(_ files: StoreFiles) throws(StoreError) -> Int {
        let file = files.keyFile
        // Neither is made here: a mistyped path would be an empty database that was rotated with success.
        guard try files.isPresent() else { throw .lost(path: files.database) }
        guard try file.read() != nil else { throw .missingSecretKey }
        let database = try Database(files, busyTimeout: 2_000, now: Int64(time(nil)))
        let key = try StoreError.mapping(SecretKey.generate)
        let seal = try StoreError.mapping { () throws(CryptoError) in try Seal(key) }
        try file.write([key, database.seal.key])
        let count = try database.reseal(with: seal)
        // Before the old key goes, the rows that the new one opens are on the disk, and the lock is held until then.
        try database.connection.checkpoint(for: .rotate)
        try file.write([key])
        withExtendedLifetime(database) {}
        return count
    }
}

extension Database {
    /// Rows that are read at a time.
    private static let batch: Int64 = 500

    fileprivate func reseal(with new: Seal) throws(StoreError) -> Int {
        let read = try connection.prepare(
            """
            SELECT number, id, device_token, private_key, auth FROM subscriptions
            WHERE number > ?1 ORDER BY number LIMIT ?2
            """,
            for: .rotate
        )
        let write = try connection.prepare(
            "UPDATE subscriptions SET device = ?2, device_token = ?3, private_key = ?4, auth = ?5 WHERE number = ?1",
            for: .rotate
        )
        return try connection.transaction(for: .rotate) { () throws(StoreError) in
            var count = 0
            var last = Int64.min
            while true {
                let rows = try read.all([.integer(last), .integer(Self.batch)]) { row throws(StoreError) in
                    try resealed(row, with: new)
                }
                for row in rows { try write.run(row.values) }
                count += rows.count
                guard let number = rows.last?.number else { break }
                last = number
            }
            try connection.setSeal(new)
            return count
        }
    }

    private func resealed(
        _ row: borrowing Row,
        with new: Seal
    ) throws(StoreError) -> (number: Int64, values: [Value?]) {
        let id = SubscriptionID(digest: row.blob(1))
        let secrets = try new.secrets(
            deviceToken: String(decoding: open(row.blob(2), .deviceToken, of: id), as: UTF8.self),
            privateKey: open(row.blob(3), .privateKey, of: id),
            authSecret: open(row.blob(4), .authSecret, of: id),
            of: id
        )
        let number = row.integer(0)
        return (
            number,
            [.integer(number), secrets.device, secrets.deviceToken, secrets.privateKey, secrets.authSecret]
        )
    }
}
