import Crypto

/// The key outside the database, under which what is secret in a row is sealed.
///
/// A sealed value is a version (1), a random nonce of 12 octets, and the AES-256-GCM ciphertext with its tag. Its column
/// and the id of its row are additional data, so that a value which somebody moves to another place does not open there.
/// Each column has a key of its own, derived with HKDF (RFC 5869).
struct Seal {
    /// What is sealed; the names are part of every derived key and must never change.
    enum Column: String {
        case deviceToken = "device_token"
        case privateKey = "private_key"
        case authSecret = "auth"
    }

    let key: SecretKey
    /// Names the key without giving it away, 16 octets; the database keeps it to know its key again.
    let fingerprint: [UInt8]
    private let deviceToken: [UInt8]
    private let privateKey: [UInt8]
    private let authSecret: [UInt8]
    private let lookup: [UInt8]

    private static let version: UInt8 = 1

    init(_ key: SecretKey) throws(CryptoError) {
        self.key = key
        func derived(_ purpose: String) throws(CryptoError) -> [UInt8] {
            try HKDF.expand(key.octets, info: Array("relay subscriptions \(purpose)".utf8), count: 32)
        }
        deviceToken = try derived("seal \(Column.deviceToken.rawValue)")
        privateKey = try derived("seal \(Column.privateKey.rawValue)")
        authSecret = try derived("seal \(Column.authSecret.rawValue)")
        lookup = try derived("lookup device_token")
        fingerprint = Array(try derived("fingerprint").prefix(16))
    }

    /// The octets to store for a value of a row.
    func seal(_ value: [UInt8], _ column: Column, of id: SubscriptionID) throws(CryptoError) -> [UInt8] {
        let nonce = try Random.octets(AESGCM.nonceLength)
        let sealed = try AESGCM.seal(value, key: key(column), nonce: nonce, context: Self.context(column, id))
        return [Self.version] + nonce + sealed
    }

    /// The value that was sealed for this column of this row.
    ///
    /// - Throws: `CryptoError.authentication` for anything else, such as a value of another row or a flipped bit.
    func open(_ stored: [UInt8], _ column: Column, of id: SubscriptionID) throws(CryptoError) -> [UInt8] {
        let start = 1 + AESGCM.nonceLength
        guard stored.count >= start, stored[0] == Self.version else { throw .authentication }
        return try AESGCM.open(
            stored[start...],
            key: key(column),
            nonce: Array(stored[1..<start]),
            context: Self.context(column, id)
        )
    }

    /// All that is secret in a row, as it is stored.
    struct Secrets {
        let device: Value
        let deviceToken: Value
        let privateKey: Value
        let authSecret: Value
    }

    /// Seals what a row has to keep secret, and makes what its device is found by.
    func secrets(
        deviceToken: String,
        privateKey: [UInt8],
        authSecret: [UInt8],
        of id: SubscriptionID
    ) throws(StoreError) -> Secrets {
        try StoreError.mapping { () throws(CryptoError) in
            Secrets(
                device: .blob(try lookup(deviceToken: deviceToken)),
                deviceToken: .blob(try seal(Array(deviceToken.utf8), .deviceToken, of: id)),
                privateKey: .blob(try seal(privateKey, .privateKey, of: id)),
                authSecret: .blob(try seal(authSecret, .authSecret, of: id))
            )
        }
    }

    /// What the rows of a device have in common, 32 octets: two sealed copies of one token look nothing alike.
    func lookup(deviceToken: String) throws(CryptoError) -> [UInt8] {
        try HMAC.sha256(key: lookup, message: Array(deviceToken.utf8))
    }

    private func key(_ column: Column) -> [UInt8] {
        switch column {
        case .deviceToken: deviceToken
        case .privateKey: privateKey
        case .authSecret: authSecret
        }
    }

    private static func context(_ column: Column, _ id: SubscriptionID) -> [UInt8] {
        Array("subscriptions.\(column.rawValue)".utf8) + [0] + id.digest
    }
}
