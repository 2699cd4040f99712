import COpenSSL

/// Octets nobody can predict, from OpenSSL's generator, which the kernel seeds.
package enum Random {
    /// `count` fresh octets; it throws rather than give weak ones.
    package static func octets(_ count: Int) throws(CryptoError) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        guard let length = Int32(exactly: count), RAND_bytes(&octets, length) == 1 else { throw .library("RAND_bytes") }
        return octets
    }
}
