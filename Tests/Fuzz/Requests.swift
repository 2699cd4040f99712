import RelayTesting

@testable import HTTPServer
@testable import RelayCore

/// The octets of a connection, in every cut the same requests; none behind a refusal.
func check(_ octets: [UInt8]) {
    let whole = Reading([octets[...]])
    for parsed in whole.requests { check(parsed.request) }
    var generator = SeededGenerator(seed: octets.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
    for longest in [1, 40, 4_000] where octets.count / longest < 3_000 {
        let pieces = Reading(segments(of: octets, upTo: longest, using: &generator))
        require(pieces.summary == whole.summary, "\(pieces.summary) in pieces, \(whole.summary) as a whole")
    }
}

/// What a request that comes through has to be, whatever was sent.
private func check(_ request: Request) {
    let head = request.head
    require(!head.method.isEmpty && head.method.utf8.allSatisfy(\.isTokenCharacter), "the method is a token")
    require(head.target.first == 0x2f && head.target.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "the target is a path")
    require(request.body.count <= Routes.bodyRule(for: head).limit, "the body is within the limit of its route")
    let lengths = head.fields.values("Content-Length")
    let codings = head.fields.values("Transfer-Encoding")
    require(lengths.count + codings.count <= 1, "the body's end is given once")
    if let length = lengths.first {
        let digits = String(decoding: length, as: UTF8.self)
        require(digits.utf8.allSatisfy(\.isDigit) && Int(digits) == request.body.count, "the length is the body's")
    } else if codings.isEmpty {
        require(request.body.isEmpty, "there is no body without a length")
    }
    require(head.fields.values("Host").count <= 1, "there is one host")
    require(head.fields.values("Authorization").count <= 1, "there is one credential")
}

private func segments(
    of octets: [UInt8],
    upTo longest: Int,
    using generator: inout SeededGenerator
) -> [ArraySlice<UInt8>] {
    var rest = octets[...]
    var segments: [ArraySlice<UInt8>] = []
    while !rest.isEmpty {
        let segment = rest.prefix(Int.random(in: 1...longest, using: &generator))
        segments.append(segment)
        rest = rest.dropFirst(segment.count)
    }
    return segments
}

/// What the parser makes of a whole connection.
private struct Reading {
    private(set) var requests: [ParsedRequest] = []
    private var refusal: Refusal?

    init(_ segments: [ArraySlice<UInt8>]) {
        var parser = RequestParser(limits: Limits(), bodyRule: Routes.bodyRule)
        var input: ArraySlice<UInt8> = []
        for segment in segments {
            input += segment
            do throws(Refusal) {
                while let parsed = try parser.consume(&input) { requests.append(parsed) }
                require(refusal == nil, "nothing is read behind a refusal")
                require(input.isEmpty, "every octet is taken")
            } catch {
                require(refusal == nil || refusal == error, "a refusal stays what it was")
                refusal = error
            }
        }
    }

    /// All of it that a handler or a client could see.
    var summary: [String] {
        requests.map { parsed in
            let head = parsed.request.head
            let fields = ["Host", "Connection", "TTL", "Content-Encoding"].map { head.fields.values($0) }
            return "\(head.method) \(head.target) \(fields) \(parsed.isPersistent) \(parsed.request.body)"
        } + [refusal.map { "\($0)" } ?? "done"]
    }
}
