import Foundation
import Glibc

@testable import HTTPServer

/// A client that sends exactly the octets it is given, over a blocking socket.
///
/// Its calls block, and the handlers of a server need the cooperative pool, so a test uses it inside `offPool`.
final class Client {
    private let descriptor: Int32
    private var received: [UInt8] = []
    private var isOutOfPatience = false

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct Reply {
        let status: Int
        let fields: [(name: String, value: String)]
        let body: [UInt8]

        func values(_ name: String) -> [String] {
            fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        }

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    init(_ address: ListenAddress) throws {
        guard let target = SocketAddress(address) else { throw Failure(description: "bad address \(address)") }
        descriptor = socket(target.family, Int32(SOCK_STREAM.rawValue), 0)
        // Not an expectation: only keeps a broken server from hanging the suite for ever.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard target.withPointer({ connect(descriptor, $0, $1) }) == 0 else {
            let code = errno
            // Every property is set, so `deinit` runs and closes; a second close would hit somebody else's descriptor.
            throw Failure(description: "connect: \(String(cString: strerror(code)))")
        }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    /// Stops without a word when the server has closed: what it answered is what counts.
    func send(_ octets: [UInt8]) {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest.removeFirst(count)
        }
    }

    /// Ends the client's direction and keeps the other.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends both directions with a reset.
    func reset() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        // A new socket takes the number over, so that `deinit` still has one to close.
        let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        dup2(other, descriptor)
        close(other)
    }

    /// The next answer, by its Content-Length; an interim answer is one too.
    func reply(toHead isHead: Bool = false) throws -> Reply {
        let separator = Array("\r\n\r\n".utf8)
        while received.firstRange(of: separator) == nil { try fill() }
        guard let end = received.firstRange(of: separator) else { throw Failure(description: "no head") }
        let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        received.removeSubrange(..<end.upperBound)

        let statusLine = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard statusLine.count >= 3, statusLine[0] == "HTTP/1.1", let status = Int(statusLine[1]) else {
            throw Failure(description: "not a status line: \(lines[0])")
        }
        let fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: String(parts[0]), value: parts.last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "")
        }
        let length = fields.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        let content = isHead ? 0 : length
        while received.count < content { try fill() }
        let body = Array(received.prefix(content))
        received.removeFirst(content)
        return Reply(status: status, fields: fields, body: body)
    }

    /// Everything up to the end of the server's direction; a reset in place of the end is a failure.
    func rest() throws -> [UInt8] {
        while try read() {}
        defer { received = [] }
        return received
    }

    /// Whether the server ends or resets the connection without another octet.
    func isCutOff() -> Bool {
        do { return try rest().isEmpty } catch { return !isOutOfPatience }
    }

    private func fill() throws {
        guard try read() else {
            throw Failure(description: "closed after \(String(decoding: received, as: UTF8.self))")
        }
    }

    private func read() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        isOutOfPatience = count < 0 && errno == EAGAIN
        guard count >= 0 else { throw Failure(description: "recv: \(String(cString: strerror(errno)))") }
        received += buffer.prefix(count)
        return count > 0
    }
}
