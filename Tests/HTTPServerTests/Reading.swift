@testable import HTTPServer

/// What a parser makes of the octets of a whole connection: the requests, and the refusal that ended them.
struct Reading: Equatable, CustomStringConvertible {
    private(set) var requests: [String] = []
    private(set) var bodies: [[UInt8]] = []
    private(set) var refusal: Refusal?

    var description: String { "\(requests) \(refusal.map { "\($0)" } ?? "incomplete or done")" }

    /// Feeds the octets in the given segments.
    init(
        _ segments: [ArraySlice<UInt8>],
        limits: Limits = Limits(),
        bodyRule: @escaping @Sendable (Head) -> BodyRule = Routes.bodyRule
    ) {
        var parser = RequestParser(limits: limits, bodyRule: bodyRule)
        var input: ArraySlice<UInt8> = []
        for segment in segments {
            input += segment
            do throws(Refusal) {
                while let parsed = try parser.consume(&input) {
                    let head = parsed.request.head
                    requests.append(
                        "\(head.method) \(String(decoding: head.target, as: UTF8.self)) \(parsed.isPersistent)"
                    )
                    bodies.append(parsed.request.body)
                }
            } catch {
                refusal = error
                return
            }
        }
    }

    init(_ text: String, limits: Limits = Limits()) {
        self.init([Array(text.utf8)[...]], limits: limits)
    }
}
