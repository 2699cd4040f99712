import Foundation
import Glibc
import RelayTesting
import Synchronization

/// A server that is no relay of this release: it answers everything alike, and counts.
final class StubServer: Sendable {
    enum Behaviour: Sendable {
        /// An answer: the status, fields as they stand on the wire, and the body.
        case answer(Int, fields: [String] = [], body: String = "")
        /// The connection is taken, and nothing ever comes.
        case silence
        /// The connection ends instead of an answer.
        case end
        /// Connections are refused, as where no server runs; the port is kept from others meanwhile.
        case refusal
    }

    let url: URL
    private let listener: Int32
    /// Method and path of each request, and what is open until the end.
    private let seen = Mutex<(requests: [String], kept: [Int32])>(([], []))

    var requests: [String] { seen.withLock(\.requests) }

    init(_ behaviour: Behaviour) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> UInt16? in
                guard bind(listener, pointer, length) == 0 else { return nil }
                guard getsockname(listener, pointer, &length) == 0 else { return nil }
                return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port.bigEndian }
            }
        }
        guard let port, let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw RunningRelay.Failure(description: "no listener: errno \(errno)")
        }
        self.listener = listener
        self.url = url
        if case .refusal = behaviour {
            seen.withLock { $0.kept.append(listener) }
            return
        }
        listen(listener, 16)
        Thread.detachNewThread { [weak self, listener] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else { break }
                self.serve(connection, behaviour)
            }
            // Not before the thread is done with it: the number may be another's from then on.
            close(listener)
        }
    }

    deinit {
        // Ends the wait for a connection.
        shutdown(listener, Int32(SHUT_RDWR))
        for descriptor in seen.withLock(\.kept) { close(descriptor) }
    }

    /// One request of a connection, and its end.
    private func serve(_ connection: Int32, _ behaviour: Behaviour) {
        guard let request = Self.request(from: connection) else {
            close(connection)
            return
        }
        seen.withLock { $0.requests.append(request) }
        switch behaviour {
        case .silence:
            seen.withLock { $0.kept.append(connection) }
            return
        case .end, .refusal:
            break
        case .answer(let status, let fields, let body):
            let head = ["HTTP/1.1 \(status) -", "Content-Length: \(body.utf8.count)", "Connection: close"] + fields
            let lines = head + ["", body]
            let octets = Array(lines.joined(separator: "\r\n").utf8)
            _ = send(connection, octets, octets.count, Int32(MSG_NOSIGNAL))
        }
        shutdown(connection, Int32(SHUT_WR))
        // An end with something unread would be a reset, which can overtake the answer.
        var rest = [UInt8](repeating: 0, count: 1_024)
        while recv(connection, &rest, rest.count, 0) > 0 {}
        close(connection)
    }

    /// Method and path of a request, once it has come whole; nil when it does not.
    private static func request(from connection: Int32) -> String? {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let end = text.firstRange(of: "\r\n\r\n") {
                let length = text[..<end.lowerBound].firstMatch(of: /(?i)content-length: *([0-9]+)/)
                if text[end.upperBound...].utf8.count >= length.flatMap({ Int($0.1) }) ?? 0 { break }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
        return text.split(separator: " ").prefix(2).joined(separator: " ")
    }
}
