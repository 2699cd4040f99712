import Foundation
import Glibc
import Synchronization

/// A request as a test wants it on the wire; `Host` and `Content-Length` are added.
package struct HTTPRequest: Sendable {
    package var method: String
    package var target: String
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]

    package init(
        _ method: String,
        _ target: String,
        fields: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }

    package var octets: [UInt8] {
        let always = [("Host", "push.example.org"), ("Content-Length", "\(body.count)")]
        let lines = (always + fields).map { "\($0): \($1)\r\n" }.joined()
        return Array("\(method) \(target) HTTP/1.1\r\n\(lines)\r\n".utf8) + body
    }
}

/// An answer, read to the end that its `Content-Length` gives it.
package struct HTTPAnswer: Sendable {
    package let status: Int
    package let fields: [(name: String, value: String)]
    package let body: [UInt8]

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The values of a field, whatever the case of its name.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

/// A client of HTTP/1.1 over one connection of its own, which it keeps until it goes.
///
/// Sockets block here, so everything runs on a thread of its own and the cooperative pool stays free.
package final class HTTPClient: Sendable {
    /// A call of the socket that failed, with its errno; 0 for an end in the middle of an answer.
    package struct Failure: Error, Equatable {
        package let operation: String
        package let code: Int32

        package init(_ operation: String, _ code: Int32) {
            self.operation = operation
            self.code = code
        }
    }

    private let descriptor: Int32
    private let received = Mutex<[UInt8]>([])

    /// Connects to `127.0.0.1:8080`, `[::1]:8080` or `unix:/path`, as the relay writes its own address.
    package init(_ address: String) throws {
        let isPath = address.hasPrefix("unix:")
        descriptor = try isPath ? Self.connected(path: address.dropFirst(5)) : Self.connected(address)
        // Not an expectation: only keeps a broken server from hanging the suite for ever.
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        for direction in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, direction, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit { close(descriptor) }

    /// Sends one request over a connection of its own and waits for the answer.
    package static func answer(to request: HTTPRequest, from address: String) async throws -> HTTPAnswer {
        try await HTTPClient(address).answer(to: request)
    }

    /// Sends a request and waits for its answer.
    package func answer(to request: HTTPRequest) async throws -> HTTPAnswer {
        try await onThread {
            self.write(request.octets)
            return try self.readAnswer()
        }
    }

    /// Sends octets as they are; that the server has hung up shows in its answer, or in that there is none.
    package func send(_ octets: [UInt8]) async throws {
        try await onThread { self.write(octets) }
    }

    /// Waits for the next answer.
    package func answer() async throws -> HTTPAnswer {
        try await onThread { try self.readAnswer() }
    }

    /// Waits until the server ends the connection; what still came until then.
    package func rest() async throws -> [UInt8] {
        try await onThread {
            self.received.withLock { received in
                while (try? self.read(into: &received)) == true {}
                defer { received = [] }
                return received
            }
        }
    }

    /// Ends the connection with a reset, as a client does whose machine was switched off and on again.
    package func vanish() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        // A new socket takes the number over, so that `deinit` still has one to close.
        let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        dup2(other, descriptor)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        close(other)
    }

    private func write(_ octets: [UInt8]) {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest.removeFirst(count)
        }
    }

    private func readAnswer() throws -> HTTPAnswer {
        try received.withLock { received in
            let separator = Array("\r\n\r\n".utf8)
            var head = received.firstRange(of: separator)
            while head == nil {
                guard try read(into: &received) else { throw Failure("answer", 0) }
                head = received.firstRange(of: separator)
            }
            guard let head else { throw Failure("answer", 0) }
            let lines = String(decoding: received[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            received.removeSubrange(..<head.upperBound)
            let fields = lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return (name: String(parts[0]), value: parts.last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "")
            }
            let length = fields.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
            while received.count < length {
                guard try read(into: &received) else { throw Failure("body", 0) }
            }
            let body = Array(received.prefix(length))
            received.removeFirst(length)
            let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) }
            return HTTPAnswer(status: status ?? 0, fields: fields, body: body)
        }
    }

    /// Whether anything came before the server's end.
    private func read(into received: inout [UInt8]) throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw Failure("recv", errno) }
        received += buffer.prefix(count)
        return count > 0
    }
}

extension HTTPClient {
    private static func connected(_ address: String) throws -> Int32 {
        guard let colon = address.lastIndex(of: ":") else { throw Failure("address", EINVAL) }
        let host = address[..<colon].filter { $0 != "[" && $0 != "]" }
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(address[address.index(after: colon)...]), &hints, &found) == 0, let found else {
            throw Failure("address", EINVAL)
        }
        defer { freeaddrinfo(found) }
        return try connected(family: found.pointee.ai_family) {
            connect($0, found.pointee.ai_addr, found.pointee.ai_addrlen)
        }
    }

    private static func connected(path: Substring) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Failure("address", EINVAL) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return try connected(family: AF_UNIX) { descriptor in
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }

    private static func connected(family: Int32, _ connect: (Int32) -> Int32) throws -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard connect(descriptor) == 0 else {
            let code = errno
            close(descriptor)
            throw Failure("connect", code)
        }
        return descriptor
    }
}
