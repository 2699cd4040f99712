import Foundation
import Glibc

@testable import RelayClient

/// A server on loopback that says what a test has it say, one connection for each reply.
final class LocalServer: Sendable {
    enum Reply: Sendable {
        case octets(String)
        /// The head, more octets than are taken, and no end until the client is gone.
        case endless(String)
        /// Nothing, until the client is gone.
        case silence

        static func json(_ status: Int, _ body: String, fields: String...) -> Self {
            let lines =
                ["HTTP/1.1 \(status) Status", "Content-Length: \(body.utf8.count)", "Connection: close"] + fields
            return .octets((lines + ["Content-Type: application/json", "", body]).joined(separator: "\r\n"))
        }

        static let noContent = Self.octets("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    }

    struct Request: Sendable {
        let method: String
        let target: String
        /// By their names in lower case.
        let fields: [String: String]
        let body: String
    }

    let url: URL
    /// Each request as it arrives.
    let arrivals: AsyncStream<Request>
    private let received = Locked<[Request]>([])

    var requests: [Request] { received.withLock(\.self) }

    init(_ replies: Reply...) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // Without a reply to give it only holds the port, which refuses whoever comes.
                bind(listener, $0, length) == 0 && (replies.isEmpty || listen(listener, 16) == 0)
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
        self.url = url
        let (arrivals, arrived) = AsyncStream<Request>.makeStream()
        self.arrivals = arrivals
        guard !replies.isEmpty else { return }
        Thread { [received] in
            for reply in replies {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                if let request = Self.request(from: connection) {
                    received.withLock { $0.append(request) }
                    arrived.yield(request)
                    Self.send(reply, to: connection)
                }
                close(connection)
            }
            // Whoever comes after the last reply is refused; a reply that nobody fetches waits until the tests end.
            close(listener)
        }.start()
    }

    private static func request(from connection: Int32) -> Request? {
        var octets = Data()
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            if let request = Request(octets) { return request }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            octets += chunk.prefix(count)
        }
    }

    private static func send(_ reply: Reply, to connection: Int32) {
        switch reply {
        case .octets(let text): _ = send(Array(text.utf8), to: connection)
        case .endless(let head):
            // A flood would keep Foundation on Linux from looking at anything else.
            let isSent = send(Array(head.utf8) + [UInt8](repeating: 0x20, count: 262_144), to: connection)
            if isSent { send(.silence, to: connection) }
        case .silence:
            var octet: UInt8 = 0
            while recv(connection, &octet, 1, 0) > 0 {}
        }
    }

    private static func send(_ octets: [UInt8], to connection: Int32) -> Bool {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

extension LocalServer.Request {
    /// Nil while it is not whole.
    fileprivate init?(_ octets: Data) {
        guard let end = octets.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: octets[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].components(separatedBy: " ")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let body = octets[end.upperBound...]
        guard body.count >= Int(fields["content-length"] ?? "") ?? 0 else { return nil }
        self.init(method: words[0], target: words[1], fields: fields, body: String(decoding: body, as: UTF8.self))
    }
}
