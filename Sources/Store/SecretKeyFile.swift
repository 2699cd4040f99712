/// The file with the secret key: one line, or two while the key is being rotated.
///
/// Until every row is sealed with the new key the old one stays in the second line, so a relay that is killed halfway
/// finds the one it needs.
struct SecretKeyFile {
    let path: String
    /// The database, whose owner has to read a new key.
    let database: String

    /// The keys in the file; nil when there is no file.
    func read() throws(StoreError) -> [SecretKey]? {
        guard let octets = try DurableFile.read(path) else { return nil }
        var keys: [SecretKey] = []
        let space = Array(" \t\r\n".utf8)
        for line in octets.split(whereSeparator: space.contains) {
            guard let key = SecretKey(hex: line) else { throw .malformedSecretKey }
            keys.append(key)
        }
        guard (1...2).contains(keys.count) else { throw .malformedSecretKey }
        return keys
    }

    /// Puts the keys in the place of what is there; they are on the disk when it returns.
    func write(_ keys: [SecretKey]) throws(StoreError) {
        try DurableFile.write(Array(keys.map { $0.hex + "\n" }.joined().utf8), to: path, owner: database)
    }

    /// A new key, in its file.
    func create() throws(StoreError) -> SecretKey {
        let key = try StoreError.mapping(SecretKey.generate)
        try write([key])
        return key
    }
}
