import COpenSSL

/// Octets nobody can predict, from OpenSSL's generator, which the kernel seeds.
package enum Random {
    /// `count` fresh octets; it throws rather than give weak ones.
    package static func octets(_ count: Int) throws(CryptoError) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: count)
        guard let length = Int32(exactly: count), RAND_bytes(&octets, length) == 1 else { throw .library("RAND_bytes") }
        return octets
    }

    /// A fresh UUID of version 4 in lower case (RFC 9562, section 5.4). (Foundation's opens a file for each.)
    package static func uuid() throws(CryptoError) -> String {
        var octets = try octets(16)
        octets[6] = octets[6] & 0x0f | 0x40
        octets[8] = octets[8] & 0x3f | 0x80
        let groups = [octets[..<4], octets[4..<6], octets[6..<8], octets[8..<10], octets[10...]]
        return groups.map { Hex.encode(Array($0)) }.joined(separator: "-")
    }
}
