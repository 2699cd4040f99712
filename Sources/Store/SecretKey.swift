import Crypto

/// 32 random octets, kept as 64 hex digits so that a person can copy them to a safe place.
struct SecretKey: Equatable {
    let octets: [UInt8]

    static func generate() throws(CryptoError) -> SecretKey {
        SecretKey(octets: try Random.octets(32))
    }

    private init(octets: [UInt8]) { self.octets = octets }

    /// Reads a line of exactly 64 hex digits.
    init?(hex: ArraySlice<UInt8>) {
        guard let octets = Hex.decode(hex), octets.count == 32 else { return nil }
        self.octets = octets
    }

    var hex: String { Hex.encode(octets) }
}
