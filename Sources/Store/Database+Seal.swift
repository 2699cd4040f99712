import Crypto

extension Database {
    /// The secret that was stored in a column of a row; damage in it is found here, and never taken for a value.
    func open(_ stored: [UInt8], _ column: Seal.Column, of id: SubscriptionID) throws(StoreError) -> [UInt8] {
        do throws(CryptoError) {
            return try seal.open(stored, column, of: id)
        } catch {
            guard error == .authentication else { throw .cryptography("\(error)") }
            throw .unsealable(column: column.rawValue, subscription: id.shortName)
        }
    }

    /// What finds the rows of a device.
    func lookup(_ deviceToken: String) throws(StoreError) -> Value {
        .blob(try StoreError.mapping { () throws(CryptoError) in try seal.lookup(deviceToken: deviceToken) })
    }
}
