import Glibc

/// An address in the form the kernel takes.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    /// The octets of `sun_path` without the NUL that ends it.
    static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Nil when the host is not an address of its family or the path does not fit.
    ///
    /// C reads a text up to its first NUL, so one with a NUL would be another address than the operator sees.
    init?(_ address: ListenAddress) {
        switch address {
        case .ipv4(let host, let port):
            var inner = sockaddr_in()
            inner.sin_family = sa_family_t(AF_INET)
            inner.sin_port = port.bigEndian
            guard !host.utf8.contains(0), inet_pton(AF_INET, host, &inner.sin_addr) == 1 else { return nil }
            fill(with: inner)
        case .ipv6(let host, let port):
            var inner = sockaddr_in6()
            inner.sin6_family = sa_family_t(AF_INET6)
            inner.sin6_port = port.bigEndian
            guard !host.utf8.contains(0), inet_pton(AF_INET6, host, &inner.sin6_addr) == 1 else { return nil }
            fill(with: inner)
        case .unix(let path):
            guard !path.isEmpty, !path.utf8.contains(0), path.utf8.count <= Self.longestPath else { return nil }
            var inner = sockaddr_un()
            inner.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &inner.sun_path) { $0.copyBytes(from: path.utf8) }
            fill(with: inner)
        }
    }

    /// The address a socket is bound to; nil when the kernel does not say.
    init?(boundTo descriptor: Int32) {
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { return nil }
    }

    /// AF_INET, AF_INET6 or AF_UNIX.
    var family: Int32 { Int32(storage.ss_family) }

    /// The port of an IPv4 or IPv6 address: the same two octets in both.
    var port: UInt16 {
        var storage = storage
        return withUnsafeMutableBytes(of: &storage) { bytes in
            UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// Calls `bind`, `connect` or their like with the address.
    func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// The errno of a connection that ends at once; 0 when there is one, nil with errno set when there is no socket to try.
    var connectionFault: Int32? {
        guard let probe = Socket.descriptor(family) else { return nil }
        return withPointer { connect(probe.number, $0, $1) == 0 ? 0 : errno }
    }

    private mutating func fill<Inner>(with inner: Inner) {
        withUnsafeMutableBytes(of: &storage) { target in
            withUnsafeBytes(of: inner) { target.copyMemory(from: $0) }
        }
        length = socklen_t(MemoryLayout<Inner>.size)
    }
}
