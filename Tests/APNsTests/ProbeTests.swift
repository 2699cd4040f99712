import Foundation
import Glibc
import RelayTesting
import Testing

@testable import APNs

@Suite("Apple: a command's own request") struct ProbeTests {
    /// A look at a simulated Apple, on a thread that may block.
    private func answer(
        _ apple: AppleSimulator,
        _ change: @escaping @Sendable (inout Probe) -> Void = { _ in }
    ) async throws -> ProbeAnswer {
        var probe = Probe(.get, apple.origin + "/")
        probe.version = .http2
        probe.certificateAuthorities = apple.ready.ca
        change(&probe)
        return try await onThread { [probe] in try probe.answer() }
    }

    /// Why there is no answer.
    private func error(
        _ apple: AppleSimulator,
        _ change: @escaping @Sendable (inout Probe) -> Void = { _ in }
    ) async throws -> ProbeError? {
        do { _ = try await answer(apple, change) } catch let error as ProbeError { return error }
        return nil
    }

    private func refusal(_ option: String, _ value: String) async throws -> TLSRefusal {
        let error = try await error(AppleSimulator(option, value))
        guard case .refusedTLS(let refusal)? = error else { throw UnexpectedError(error) }
        return refusal
    }

    @Test func `an answer has its status, its fields, its body and who gave it`() async throws {
        let answer = try await answer(.shared())
        #expect(answer.status == 405)
        #expect(answer.isHTTP2)
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"reason": "MethodNotAllowed"}"#)
        #expect(answer.field("APNS-ID") != nil)
        #expect(answer.address == "127.0.0.1")
        let now = Int64(Date.now.timeIntervalSince1970)
        let date = try #require(answer.date)
        #expect(abs(now - date) < 120)
        let times = answer.times
        #expect([times.nameLookup, times.connect, times.tls, times.firstOctet, times.total].isSorted)
    }

    @Test func `the certificate tells its name, its issuer and its end`() async throws {
        let answer = try await answer(.shared())
        let own = try #require(answer.chain.first)
        #expect(own.subject == "CN = localhost")
        #expect(own.issuer == "CN = Simulated Apple CA")
        let days = own.daysLeft(at: Int64(Date.now.timeIntervalSince1970))
        #expect((3_640...3_650).contains(days))
    }

    @Test func `a POST carries its fields and its body`() async throws {
        let token = freshToken()
        let apple = try await AppleSimulator.shared()
        let answer = try await answer(apple) { probe in
            probe.method = .post
            probe.url = "\(apple.origin)/3/device/\(token)"
            probe.fields = [("apns-topic", "pixels.example.app"), ("apns-push-type", "alert")]
            probe.body = Array(#"{"aps":{"alert":{"title":"a","body":"b"}}}"#.utf8)
        }
        #expect(answer.status == 403)
        let request = try await apple.firstRequest(for: token)
        #expect(request.headers["apns-topic"] == "pixels.example.app")
    }

    @Test func `a peer that speaks HTTP/1.1 alone is seen as one`() async throws {
        let apple = try await AppleSimulator("--alpn", "http/1.1")
        let answer = try await answer(apple)
        #expect(!answer.isHTTP2)
    }

    @Test func `an expired certificate is called so, and shown`() async throws {
        let refusal = try await refusal("--certificate", "expired")
        #expect(refusal.fault == .expired)
        #expect(refusal.reason.contains("expired"))
        let days = refusal.chain.first?.daysLeft(at: Int64(Date.now.timeIntervalSince1970))
        #expect(days == -1 || days == -2)
    }

    @Test func `a certificate for another name is called so, and shown`() async throws {
        let refusal = try await refusal("--certificate", "wrong-host")
        #expect(refusal.fault == .wrongName)
        #expect(refusal.chain.first?.subject == "CN = elsewhere.example")
    }

    @Test func `a certificate of a stranger is not trusted, and shown`() async throws {
        let refusal = try await refusal("--certificate", "wrong-authority")
        #expect(refusal.fault == .notTrusted)
        #expect(refusal.chain.first?.issuer == "CN = Another CA")
    }

    @Test func `a version of TLS that nobody should speak is a failed handshake`() async throws {
        let refusal = try await refusal("--tls", "1.1")
        #expect(refusal.fault == .handshake)
        #expect(!refusal.reason.isEmpty)
    }

    @Test func `a port where nobody listens cannot be connected to`() async throws {
        let port = try LoopbackPort(isListening: false)
        let error = try await error(.shared()) { $0.url = port.url }
        guard case .cannotConnect? = error else { throw UnexpectedError(error) }
    }

    @Test func `a name that there cannot be is not resolved`() async throws {
        let error = try await error(.shared()) { $0.url = "https://nowhere.invalid/" }
        guard case .notResolved? = error else { throw UnexpectedError(error) }
    }

    @Test func `an answer that does not come runs out of time`() async throws {
        let port = try LoopbackPort(isListening: true)
        let change = { @Sendable (probe: inout Probe) in
            probe.url = port.url
            probe.timeLimit = .milliseconds(200)
        }
        #expect(try await error(.shared(), change) == .timedOut)
    }

    @Test(arguments: ["\r\nX: y", "a\nb", "a\0b"])
    func `a field that would be two is not sent`(value: String) async throws {
        let error = try await error(.shared()) { $0.fields = [("X-Field", value)] }
        #expect(error == .other("a field of the request holds a line break"))
    }

    private struct UnexpectedError: Error, CustomStringConvertible {
        let description: String
        init(_ error: ProbeError?) { description = "\(error.map { "\($0)" } ?? "no error")" }
    }
}

/// A port of loopback that is taken, and on which nothing ever answers: it refuses, or listens in silence.
private final class LoopbackPort: Sendable {
    let url: String
    private let descriptor: Int32

    init(isListening: Bool) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard bind(descriptor, pointer, length) == 0 else { return Int32(-1) }
                return getsockname(descriptor, pointer, &length)
            }
        }
        url = "https://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"
        guard status == 0, !isListening || listen(descriptor, 8) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    }

    deinit { close(descriptor) }
}

extension Collection<Int> {
    fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}

@Suite struct CertificateTests {
    @Test(arguments: [
        ("Dec 30 23:36:58 2026 GMT", 1_798_673_818 as Int64), ("Jan  1 00:00:00 2050 GMT", 2_524_608_000),
    ])
    func `its end is read in the forms that libcurl has`(text: String, seconds: Int64) {
        let lines = [
            "Subject:CN = a", "Issuer:O = b, CN = c", "Start date:Nov 30 23:36:58 2026 GMT", "Expire date:\(text)",
        ]
        #expect(Certificate(lines: lines) == Certificate(subject: "CN = a", issuer: "O = b, CN = c", notAfter: seconds))
    }

    @Test(arguments: [[], ["Subject:CN = a"], ["Expire date:"], ["Expire date:never"]])
    func `one without an end is none`(lines: [String]) {
        #expect(Certificate(lines: lines) == nil)
    }

    @Test(
        arguments: [
            (0, 0), (1, 0), (86_399, 0), (86_400, 1), (-1, -1), (-86_400, -1), (-86_401, -2),
            (Int64.max, Int64.max / 86_400),
        ] as [(Int64, Int64)]
    )
    func `days that are left are whole ones, and below 0 once it has expired`(seconds: Int64, days: Int64) {
        #expect(Certificate(subject: "", issuer: "", notAfter: seconds).daysLeft(at: 0) == Int(days))
    }

    @Test func `days of dates that are ages apart do not trap`() {
        #expect(Certificate(subject: "", issuer: "", notAfter: .max).daysLeft(at: .min) == .max)
        #expect(Certificate(subject: "", issuer: "", notAfter: .min).daysLeft(at: .max) == .min)
    }
}
