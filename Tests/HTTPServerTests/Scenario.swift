import Dispatch
import Foundation
import Synchronization

@testable import HTTPServer

/// Bounds how many servers and clients are open at once, well below the usual limit of 1,024 descriptors.
private let slots = DispatchSemaphore(value: 32)

/// Runs blocking calls on a thread of their own: the cooperative pool, on two cores two threads, is for the handlers.
func offPool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
            slots.wait()
            let result = Swift.Result { try body() }
            slots.signal()
            continuation.resume(with: result)
        }
    }
}

let loopback = ListenAddress.ipv4(host: "127.0.0.1", port: 0)

extension Limits {
    /// Deadlines that no test meets, however busy the machine is; those that are about one set it.
    static var patient: Limits {
        var limits = Limits()
        limits.headTime = .seconds(600)
        limits.bodyTime = .seconds(600)
        limits.handlerTime = .seconds(600)
        limits.answerTime = .seconds(600)
        limits.idleTime = .seconds(600)
        limits.arrivalTimeAtCap = .seconds(600)
        return limits
    }
}

/// Runs `body` off the pool against a started server, and stops the server afterwards.
func withServer<Result: Sendable>(
    _ address: ListenAddress = loopback,
    limits: Limits = .patient,
    bodyRule: @escaping @Sendable (Head) -> BodyRule = Routes.bodyRule,
    handler: @escaping @Sendable (Request) async -> Response = { Routes.answer($0) },
    _ body: @escaping @Sendable (Server) throws -> Result
) async throws -> Result {
    try await offPool {
        let server = try Server(address: address, limits: limits, bodyRule: bodyRule, handler: handler)
        server.start()
        defer { server.stop(within: .zero) }
        return try body(server)
    }
}

/// Routes of the shape that the relay has, so that the expectations of the vectors can be met.
enum Routes {
    static let id = "0123456789abcdef0123456789abcdef"

    static func bodyRule(_ head: Head) -> BodyRule {
        let isPush = head.method == "POST" && head.target.starts(with: "/wp/".utf8)
        return BodyRule(limit: isPush ? 65_536 : 8_192, isRequired: isPush)
    }

    static func answer(_ request: Request) -> Response {
        let target = String(decoding: request.head.target, as: UTF8.self)
        switch (request.head.method, target) {
        case ("POST", "/wp/\(id)"):
            let coding = request.head.fields.first("Content-Encoding")
            guard coding == nil else { return .problem(415, "unsupported", "Use aes128gcm.") }
            return Response(status: 201, body: request.body)
        case (_, "/wp/\(id)"):
            return .problem(405, "method_not_allowed", "Use POST.", fields: [("Allow", "POST")])
        case ("GET", "/healthz"), ("HEAD", "/healthz"):
            return Response(status: 200, body: Array("ok".utf8))
        default:
            return .problem(404, "not_found", "Use another path.")
        }
    }
}

/// The requests that reached a handler, in order.
final class Record: Sendable {
    private let requests = Mutex<[Request]>([])

    /// A handler that records and answers 204.
    @Sendable func append(_ request: Request) async -> Response {
        requests.withLock { $0.append(request) }
        return Response(status: 204)
    }

    var all: [Request] { requests.withLock { $0 } }
}

/// A door that handlers wait at and a test opens.
final class Gate: Sendable {
    private let arrivals = DispatchSemaphore(value: 0)
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// For a handler: tells that it is here and waits until the gate is open.
    func pass() async {
        arrivals.signal()
        for await _ in stream {}
    }

    /// Blocks until a handler is at the gate.
    func awaitArrival() { arrivals.wait() }

    func open() { continuation.finish() }
}
