import CSQLite

/// A compiled statement, finalized when it goes out of scope; after each use it holds neither locks nor values.
struct Statement: ~Copyable {
    private let handle: OpaquePointer
    private let operation: StoreError.Operation
    private let soundness: Soundness

    /// Takes over `handle`; `soundness` is its connection's.
    init(_ handle: OpaquePointer, for operation: StoreError.Operation, _ soundness: Soundness) {
        self.handle = handle
        self.operation = operation
        self.soundness = soundness
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Runs to the end with `values` for the parameters ?1, ?2, … and returns what `read` makes of each row.
    ///
    /// It never stops at a row: a statement that writes is committed by the step that answers "done".
    @discardableResult
    func all<Result>(
        _ values: [Value?] = [],
        read: (borrowing Row) throws(StoreError) -> Result
    ) throws(StoreError) -> [Result] {
        defer {
            // Reset ends the statement's implicit transaction; its code repeats the one that step gave.
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (index, value) in zip(Int32(1)..., values) {
            // What is not bound is NULL.
            let code = value?.bind(to: handle, at: index) ?? SQLITE_OK
            guard code == SQLITE_OK else { throw failure(code) }
        }
        var results: [Result] = []
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: results.append(try read(Row(handle)))
            case SQLITE_DONE:
                if operation == .migrate { failpoint(.midMigration) }
                return results
            case let code: throw failure(code)
            }
        }
    }

    /// Like ``all(_:read:)`` for a statement that answers one row at most; `nil` when it answers none.
    func first<Result>(
        _ values: [Value?] = [],
        read: (borrowing Row) throws(StoreError) -> Result
    ) throws(StoreError) -> Result? {
        try all(values, read: read).first
    }

    /// Like ``all(_:read:)`` for a statement whose rows, if any, do not matter.
    func run(_ values: [Value?] = []) throws(StoreError) {
        try all(values) { _ in }
    }

    private func failure(_ code: Int32) -> StoreError {
        soundness.considering(StoreError(operation, code: code, on: sqlite3_db_handle(handle)))
    }
}

/// What a parameter or a column holds; `nil` stands for NULL.
enum Value: Equatable {
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    fileprivate func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        // The length is explicit: a text may hold NUL, which is an octet like any other.
        case .text(let text): relay_sqlite3_bind_text(statement, index, text, UInt64(text.utf8.count))
        // An empty array may have no address, and a blob without an address is NULL to SQLite.
        case .blob(let octets) where octets.isEmpty: sqlite3_bind_zeroblob(statement, index, 0)
        case .blob(let octets): relay_sqlite3_bind_blob(statement, index, octets, UInt64(octets.count))
        }
    }
}

/// The row a statement stands on, valid until its next step; columns count from 0.
struct Row: ~Copyable {
    private let statement: OpaquePointer

    fileprivate init(_ statement: OpaquePointer) {
        self.statement = statement
    }

    /// The column as a number; 0 for NULL.
    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(statement, column)
    }

    /// The column as text, NULs included; "" for NULL.
    func text(_ column: Int32) -> String {
        // The pointer comes first: it may convert the value, and the length is that of the converted one.
        let start = sqlite3_column_text(statement, column)
        let count = sqlite3_column_bytes(statement, column)
        return String(decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(count)), as: UTF8.self)
    }

    /// The column as octets; none for NULL.
    func blob(_ column: Int32) -> [UInt8] {
        let start = sqlite3_column_blob(statement, column)
        let count = sqlite3_column_bytes(statement, column)
        return [UInt8](UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count)))
    }

    /// The column in the type it is stored with; `nil` for NULL and for floating point, which no column is meant to hold.
    func value(_ column: Int32) -> Value? {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(blob(column))
        default: nil
        }
    }
}
