import Glibc

/// Where the server listens, as an operator writes it: `127.0.0.1:8080`, `[::1]:8080` or `unix:/run/relay.sock`.
///
/// Addresses only, no names: a name that resolves elsewhere tomorrow would move the listener.
package enum ListenAddress: Sendable, Equatable {
    /// A dotted IPv4 address; port 0 lets the kernel choose.
    case ipv4(host: String, port: UInt16)

    /// An IPv6 address without brackets; port 0 lets the kernel choose.
    case ipv6(host: String, port: UInt16)

    /// An absolute path of at most 107 octets.
    case unix(path: String)

    /// Reads what `description` writes.
    package init(parsing text: String) throws(ListenAddressError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw .relativePath }
            guard path.utf8.count <= SocketAddress.longestPath else { throw .longPath }
            self = .unix(path: path)
            return
        }
        guard let colon = text.utf8.lastIndex(of: Octet.colon) else { throw .missingPort }
        let port = try Self.port(text[text.utf8.index(after: colon)...])
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            self = .ipv6(host: String(host.dropFirst().dropLast()), port: port)
        } else {
            self = .ipv4(host: String(host), port: port)
        }
        guard SocketAddress(self) != nil else { throw .unknownHost }
    }

    /// Whether only this machine reaches it.
    package var isLocal: Bool {
        switch self {
        case .ipv4(let host, _): host.hasPrefix("127.")
        case .ipv6(let host, _): host == "::1"
        case .unix: true
        }
    }

    /// The errno of a connection to a Unix socket, which ends at once; 0 when somebody listens there, and ENAMETOOLONG for
    /// a path that no socket can have.
    package var connectionFault: Int32 {
        guard let address = SocketAddress(self) else { return ENAMETOOLONG }
        return address.connectionFault ?? errno
    }

    private static func port(_ text: Substring) throws(ListenAddressError) -> UInt16 {
        // UInt16("+80") is 80, so the digits are checked first.
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { throw .missingPort }
        guard let port = UInt16(text) else { throw .unknownPort }
        return port
    }
}

extension ListenAddress: CustomStringConvertible {
    /// The form that `init(parsing:)` reads.
    package var description: String {
        switch self {
        case .ipv4(let host, let port): "\(host):\(port)"
        case .ipv6(let host, let port): "[\(host)]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

/// What is wrong with the text of a listening address, and what to write instead.
package enum ListenAddressError: Error, Equatable, CustomStringConvertible {
    /// No colon with digits behind it.
    case missingPort

    /// More than 65535.
    case unknownPort

    /// Neither a dotted IPv4 address nor an IPv6 address in brackets.
    case unknownHost

    /// Not a path from the root, or one with a NUL.
    case relativePath

    /// More octets than the kernel has room for.
    case longPath

    /// A lower-case sentence that ends in a remedy and does not repeat the text.
    package var description: String {
        switch self {
        case .missingPort: "the address has no port: write it like 127.0.0.1:8080, [::1]:8080 or unix:/path"
        case .unknownPort: "its port is too large: use a number from 1 to 65535"
        case .unknownHost: "its host is not an IP address: write it like 127.0.0.1 or [::1]"
        case .relativePath: "its path is not absolute: begin it with a slash, like unix:/path"
        case .longPath: "its path is too long: use at most \(SocketAddress.longestPath) octets"
        }
    }
}
