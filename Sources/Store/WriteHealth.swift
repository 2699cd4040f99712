/// What the last writes say about the disk.
///
/// To begin a transaction tells nothing about it: a full disk lets one begin, and read. So a write that failed is held
/// against the database until one of some size has succeeded.
struct WriteHealth {
    private var fault: StoreError?
    private var nextProbe = ContinuousClock.now

    /// How often it is tried again while it fails, and somebody asks.
    private static let interval = Duration.seconds(2)

    /// Takes note of a write that failed.
    mutating func failed(_ error: StoreError) {
        switch error {
        case .full, .readOnly, .inputOutput, .cannotOpen:
            if fault == nil { nextProbe = .now + Self.interval }
            fault = error
        // A lock shows by itself when one asks; the others are not about the disk.
        case .busy, .corrupt, .notADatabase, .constraint, .other, .noWriteAheadLog, .unconvertible, .empty, .notAFile,
            .lost, .foreign, .newer, .staleLog, .inUse, .backupsInUse, .moved, .missingSecretKey, .wrongSecretKey,
            .malformedSecretKey, .unsealable, .cryptography, .file, .exists, .notBackedUp, .unusableBackup,
            .tooManySubscriptions, .noThread, .closed:
            break
        }
    }

    /// Throws what is wrong, after having looked whether it still is.
    mutating func check(_ connection: borrowing Connection) throws(StoreError) {
        guard let fault else { return }
        guard .now >= nextProbe else { throw fault }
        nextProbe = .now + Self.interval
        do throws(StoreError) {
            try connection.writeForTrial()
            self.fault = nil
        } catch {
            self.fault = error
            throw error
        }
    }
}

extension Connection {
    /// Writes 64 KB, many times what a registration takes, and leaves nothing behind but free pages.
    fileprivate func writeForTrial() throws(StoreError) {
        try transaction(for: .check) { () throws(StoreError) in
            try execute(
                """
                CREATE TABLE trial (filler BLOB) STRICT;
                INSERT INTO trial VALUES (zeroblob(65536));
                DROP TABLE trial;
                """,
                for: .check
            )
        }
    }
}
