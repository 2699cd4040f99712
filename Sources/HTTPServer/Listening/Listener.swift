import CLinux
import Glibc

/// A bound and listening socket; a socket file goes with it.
struct Listener: ~Copyable, Sendable {
    /// The address with the port that the kernel chose when 0 was asked for.
    let address: ListenAddress

    private let descriptor: Descriptor
    private let file: SocketFile?

    /// The kernel shortens it to `net.core.somaxconn`.
    private static let backlog: Int32 = 1_024

    /// For a Unix socket: a proxy reaches it by the group.
    static let groupMode: mode_t = 0o660

    init(_ address: ListenAddress, socketMode: mode_t = Listener.groupMode) throws(ServerError) {
        guard let socketAddress = SocketAddress(address) else { throw .unusableAddress(address) }
        if case .unix(let path) = address { try SocketFile.removeStale(path, socketAddress) }

        guard let descriptor = Socket.descriptor(socketAddress.family) else {
            throw .failed(operation: "socket", address: address, code: errno)
        }
        if socketAddress.family != AF_UNIX {
            // Without it a restart waits a minute for connections of the process before.
            Self.set(SO_REUSEADDR, of: SOL_SOCKET, on: descriptor.number)
        }
        if socketAddress.family == AF_INET6 {
            // Otherwise [::] would take IPv4 as well, depending on a setting of the machine.
            Self.set(IPV6_V6ONLY, of: Int32(IPPROTO_IPV6), on: descriptor.number)
        }
        guard socketAddress.withPointer({ bind(descriptor.number, $0, $1) }) == 0 else {
            throw .failed(operation: "bind", address: address, code: errno)
        }
        var file: SocketFile?
        if case .unix(let path) = address { file = SocketFile(path, mode: socketMode) }
        guard listen(descriptor.number, Self.backlog) == 0 else {
            let code = errno
            file?.remove()
            throw .failed(operation: "listen", address: address, code: code)
        }
        self.address = address.with(port: SocketAddress(boundTo: descriptor.number)?.port)
        self.file = file
        self.descriptor = descriptor
    }

    deinit { file?.remove() }

    var number: Int32 { descriptor.number }

    /// What accepting came to.
    enum Accepted: ~Copyable {
        case socket(Socket)
        case none
        case gone
        case exhausted
    }

    /// Takes one waiting connection.
    func accept() -> Accepted {
        guard let connection = Descriptor(relay_accept(number, Socket.flags)) else {
            switch errno {
            case EAGAIN, EWOULDBLOCK: return .none
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .gone
            }
        }
        // An answer is written at once; waiting for more to fill a segment would only delay it. Fails on AF_UNIX.
        Self.set(TCP_NODELAY, of: Int32(IPPROTO_TCP), on: connection.number)
        return .socket(Socket(connection))
    }

    private static func set(_ option: Int32, of level: Int32, on descriptor: Int32) {
        var one: Int32 = 1
        _ = setsockopt(descriptor, level, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }
}

extension ListenAddress {
    /// The same address with another port; unchanged when it has none.
    fileprivate func with(port: UInt16?) -> ListenAddress {
        switch self {
        case .ipv4(let host, let old): .ipv4(host: host, port: port ?? old)
        case .ipv6(let host, let old): .ipv6(host: host, port: port ?? old)
        case .unix: self
        }
    }
}
