package import Store

extension StoreFiles {
    /// What a command needs that works on the database alone.
    package init(variables: [String: String]) throws(Problems) {
        var reader = VariableReader(variables)
        guard let files = reader.storeFiles() else { throw Problems(all: reader.problems) }
        self = files
    }
}

extension VariableReader {
    /// The database and its key, which lies beside it unless it is named.
    mutating func storeFiles() -> StoreFiles? {
        let database = required(.databasePath, "the path of the SQLite file", parse: parsePath)
        let secretKey = optional(.secretKeyFile, default: "", parse: parsePath)
        guard let database, let secretKey else { return nil }
        return StoreFiles(database: database, secretKey: secretKey.isEmpty ? nil : secretKey)
    }
}
