import Crypto

extension Connection {
    /// The seal of this file: the one that its rows are sealed with, or where nothing is sealed yet, one to begin with.
    ///
    /// A key is made only where no row needs another one.
    ///
    /// - Parameter keys: what is in `file`; nil for no file.
    func unlock(_ kind: Kind, with keys: [SecretKey]?, of file: SecretKeyFile) throws(StoreError) -> Seal {
        if kind != .unsealed, let fingerprint = try fingerprint() {
            for key in keys ?? [] {
                let seal = try StoreError.mapping { () throws(CryptoError) in try Seal(key) }
                if seal.fingerprint == fingerprint { return seal }
            }
            guard keys == nil else { throw .wrongSecretKey }
            guard try !hasRows() else { throw .missingSecretKey }
        }
        let key = if let key = keys?.first { key } else { try file.create() }
        let seal = try StoreError.mapping { () throws(CryptoError) in try Seal(key) }
        if kind != .unsealed {
            try transaction(for: .open) { () throws(StoreError) in try setSeal(seal) }
        }
        return seal
    }

    /// Remembers which key the rows are sealed with.
    func setSeal(_ seal: Seal) throws(StoreError) {
        try execute("DELETE FROM seal", for: .migrate)
        try prepare("INSERT INTO seal (fingerprint) VALUES (?1)", for: .migrate).run([.blob(seal.fingerprint)])
    }

    /// Names the key that the rows are sealed with; nil before the first one.
    private func fingerprint() throws(StoreError) -> [UInt8]? {
        try prepare("SELECT fingerprint FROM seal", for: .open).first { $0.blob(0) }
    }

    /// Makes sure that what is sealed can be opened; `keys` is what is in the key's file, nil for no file.
    func requireKey(among keys: [SecretKey]?) throws(StoreError) {
        guard let fingerprint = try fingerprint() else { return }
        guard let keys else {
            if try hasRows() { throw .missingSecretKey }
            return
        }
        for key in keys {
            let seal = try StoreError.mapping { () throws(CryptoError) in try Seal(key) }
            if seal.fingerprint == fingerprint { return }
        }
        throw .wrongSecretKey
    }

    private func hasRows() throws(StoreError) -> Bool {
        try prepare("SELECT 1 FROM subscriptions LIMIT 1", for: .open).first { _ in true } ?? false
    }
}
