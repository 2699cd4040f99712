import CCurl
import Glibc

/// The addresses of a name or of a literal, as the system's resolver gives them, each once.
///
/// Blocks for as long as the resolver takes, which is some ten seconds where no name server answers.
package func resolve(_ host: String) throws(ProbeError) -> [String] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(withoutBrackets(host), nil, &hints, &list)
    guard code == 0 else { throw .notResolved(String(cString: gai_strerror(code))) }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let current = next {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let entry = current.pointee
        let length = socklen_t(text.count)
        if getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST) == 0 {
            let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if !addresses.contains(address) { addresses.append(address) }
        }
        next = entry.ai_next
    }
    return addresses
}

/// Whether a text is an address and not a name, with or without the brackets of a URL.
package func isAddress(_ host: String) -> Bool {
    let host = withoutBrackets(host)
    return octets(host, AF_INET, count: 4) != nil || octets(host, AF_INET6, count: 16) != nil
}

/// Whether an address is one that the whole internet reaches (IANA's registries of special-purpose addresses).
///
/// Pixelfed sends to no other. Of IPv6 that is 2000::/3 without what is set aside there, so that no address of IPv4 in
/// another spelling passes either. A text that is no address is not public.
package func isPublic(_ address: String) -> Bool {
    if let octets = octets(address, AF_INET, count: 4) { return !reservedIPv4.contains { $0.holds(octets) } }
    guard let octets = octets(address, AF_INET6, count: 16) else { return false }
    return Prefix([0x20], 3).holds(octets) && !reservedIPv6.contains { $0.holds(octets) }
}

/// The addresses that begin with the same bits.
private struct Prefix {
    private let octets: [UInt8]
    private let bits: Int

    init(_ octets: [UInt8], _ bits: Int) {
        self.octets = octets
        self.bits = bits
    }

    func holds(_ address: [UInt8]) -> Bool {
        zip(zip(octets, address), 0...).allSatisfy { pair, index in
            let unused = max(0, 8 - max(0, bits - index * 8))
            return (pair.0 ^ pair.1) >> unused == 0
        }
    }
}

private let reservedIPv4 = [
    Prefix([0], 8), Prefix([10], 8), Prefix([127], 8),
    // Shared by the customers of a provider (RFC 6598).
    Prefix([100, 64], 10),
    Prefix([169, 254], 16), Prefix([172, 16], 12), Prefix([192, 168], 16),
    Prefix([192, 0, 0], 24), Prefix([192, 88, 99], 24),
    // For documentation (RFC 5737) and measurements (RFC 2544).
    Prefix([192, 0, 2], 24), Prefix([198, 51, 100], 24), Prefix([203, 0, 113], 24), Prefix([198, 18], 15),
    // Multicast, and what is above it.
    Prefix([224], 4), Prefix([240], 4),
]

private let reservedIPv6 = [
    // Teredo, benchmarks, ORCHID and the like (RFC 2928).
    Prefix([0x20, 0x01, 0x00], 23),
    // For documentation (RFC 3849, RFC 9637).
    Prefix([0x20, 0x01, 0x0d, 0xb8], 32), Prefix([0x3f, 0xff, 0x00], 20),
    // 6to4: an address of IPv4 in another form.
    Prefix([0x20, 0x02], 16),
]

private func octets(_ address: String, _ family: Int32, count: Int) -> [UInt8]? {
    var octets = [UInt8](repeating: 0, count: count)
    // C reads a text up to its first NUL.
    guard !address.utf8.contains(0), inet_pton(family, address, &octets) == 1 else { return nil }
    return octets
}

private func withoutBrackets(_ host: String) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
}
