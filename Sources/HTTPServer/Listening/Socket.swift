import Glibc

/// A file descriptor that is closed with its owner.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    /// Nil when a call answered -1 instead of a descriptor.
    init?(_ number: Int32) {
        guard number >= 0 else { return nil }
        self.number = number
    }

    deinit { _ = close(number) }
}

/// A non-blocking connection.
struct Socket: ~Copyable, Sendable {
    private let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    var number: Int32 { descriptor.number }

    /// What every socket here has: no call waits, and no child process inherits it.
    static let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

    /// A new stream socket; nil with errno set when there is none to have.
    static func descriptor(_ family: Int32) -> Descriptor? {
        Descriptor(socket(family, Int32(SOCK_STREAM.rawValue) | flags, 0))
    }

    /// What reading came to.
    enum Received {
        case octets(Int)
        case end
        case blocked
        case failed
    }

    /// Reads once, at most as much as `buffer` holds.
    func receive(into buffer: inout [UInt8]) -> Received {
        let count = buffer.withUnsafeMutableBytes { recv(number, $0.baseAddress, $0.count, 0) }
        if count > 0 { return .octets(count) }
        if count == 0 { return .end }
        return Self.isTemporary(errno) ? .blocked : .failed
    }

    /// What writing came to.
    enum Sent {
        case octets(Int)
        case blocked
        case failed
    }

    /// Writes once, as much as the kernel takes.
    ///
    /// MSG_NOSIGNAL: the other end may be gone, and SIGPIPE would end the process.
    func send(_ octets: ArraySlice<UInt8>) -> Sent {
        let count = octets.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return .octets(count) }
        return Self.isTemporary(errno) ? .blocked : .failed
    }

    /// Tells the client that nothing follows, and leaves the other direction open.
    func endSending() {
        _ = shutdown(number, Int32(SHUT_WR))
    }

    private static func isTemporary(_ code: Int32) -> Bool {
        code == EAGAIN || code == EWOULDBLOCK || code == EINTR
    }
}
