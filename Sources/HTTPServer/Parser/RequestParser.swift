/// A complete request and what its head says about the connection.
struct ParsedRequest: Sendable {
    let request: Request
    let isPersistent: Bool
}

/// Turns the octets of a connection into requests; a value without input, output or clock.
///
/// Each octet is looked at a bounded number of times whatever the segments are, and the result does not depend on
/// how the octets were split. After a refusal every further call throws the same refusal: where the next request
/// would begin is not known any more.
struct RequestParser: Sendable {
    /// Which part of a request the parser is in.
    enum Progress: Sendable {
        case untouched
        case head
        case body
    }

    private enum Stage {
        case requestLine
        case fields
        case length
        case chunked
    }

    private let limits: Limits
    private let bodyRule: @Sendable (Head) -> BodyRule

    private var stage = Stage.requestLine
    private var line = Line()
    private var skippedEmptyLine = false
    private var requestLine: RequestLine?
    private var section = FieldSection(after: 0)
    private var head: Head?
    private var isPersistent = false
    private var expectsContinue = false
    private var remaining = 0
    private var body: [UInt8] = []
    private var chunks = ChunkedBody(limit: 0)
    private var refusal: Refusal?
    private(set) var progress = Progress.untouched

    init(limits: Limits, bodyRule: @escaping @Sendable (Head) -> BodyRule) {
        self.limits = limits
        self.bodyRule = bodyRule
    }

    /// Whether the request being read is HEAD, whose answer has no content; false until its request line is complete.
    var isHead: Bool { requestLine?.method == "HEAD" }

    /// Octets of the request being read that are kept so far.
    var heldOctets: Int {
        line.octets.capacity + section.heldOctets + body.capacity + chunks.octets.capacity
    }

    /// Whether 100 (Continue) is due: asked for, the length acceptable, and no octet of the body here.
    ///
    /// True once per request.
    mutating func takeExpectation() -> Bool {
        defer { expectsContinue = false }
        return expectsContinue
    }

    /// Takes octets up to the end of a request and returns it; what follows stays in `input`.
    mutating func consume(_ input: inout ArraySlice<UInt8>) throws(Refusal) -> ParsedRequest? {
        if let refusal { throw refusal }
        do throws(Refusal) {
            return try advance(&input)
        } catch {
            refusal = error
            throw error
        }
    }

    private mutating func advance(_ input: inout ArraySlice<UInt8>) throws(Refusal) -> ParsedRequest? {
        while !input.isEmpty {
            switch stage {
            case .requestLine:
                // What the first octet may be is another question.
                if !line.octets.isEmpty {
                    _ = line.appendContent(of: &input, atMost: limits.requestLineOctets - line.octets.count)
                }
                if let octet = input.popFirst() { try appendToRequestLine(octet) }
            case .fields:
                guard try section.consume(&input, limits: limits) else { continue }
                if try endHead() { return finish() }
            case .length:
                expectsContinue = false
                let octets = input.prefix(remaining)
                reserve(octets.count)
                body += octets
                input.removeFirst(octets.count)
                remaining -= octets.count
                if remaining == 0 { return finish() }
            case .chunked:
                expectsContinue = false
                guard try chunks.consume(&input, limits: limits) else { continue }
                body = chunks.octets
                return finish()
            }
        }
        return nil
    }

    /// One empty line before the request line is skipped (RFC 9112, section 2.2), a second one refused.
    private mutating func appendToRequestLine(_ octet: UInt8) throws(Refusal) {
        progress = .head
        if line.octets.isEmpty, octet != Octet.carriageReturn, octet != Octet.lineFeed {
            // A TLS hello on the plain port has no line ending: it must not wait for the time-out.
            guard octet.isTokenCharacter else { throw .malformedRequestLine }
        }
        guard try line.append(octet) else {
            guard line.octets.count <= limits.requestLineOctets else { throw .requestLineTooLong }
            return
        }
        if line.octets.isEmpty {
            guard !skippedEmptyLine else { throw .malformedRequestLine }
            skippedEmptyLine = true
        } else {
            requestLine = try RequestLine(line.octets)
            section = FieldSection(after: line.octets.count + 2)
            stage = .fields
        }
        line.clear()
    }

    /// Decides, from the head alone, whether and how the body is read; returns true when there is none.
    private mutating func endHead() throws(Refusal) -> Bool {
        guard let requestLine else { throw .malformedRequestLine }
        let fields = section.fields
        try HeadRules.check(fields, version: requestLine.version)
        let framing = try BodyFraming(fields, version: requestLine.version)
        expectsContinue = try HeadRules.expectsContinue(fields, version: requestLine.version)
        isPersistent = HeadRules.isPersistent(fields, version: requestLine.version)

        let head = Head(method: requestLine.method, target: requestLine.target, fields: fields)
        self.head = head
        let rule = bodyRule(head)
        progress = .body
        switch framing {
        case .none:
            guard !rule.isRequired else { throw .lengthRequired }
            return true
        case .length(let length):
            guard length <= max(0, rule.limit) else { throw .bodyTooLarge }
            (stage, remaining) = (.length, length)
            return length == 0
        case .chunked:
            (stage, chunks) = (.chunked, ChunkedBody(limit: max(0, rule.limit)))
            return false
        }
    }

    /// Makes room as an array does, in doubling steps, but never for more than the body's length.
    private mutating func reserve(_ count: Int) {
        guard body.count + count > body.capacity else { return }
        body.reserveCapacity(min(body.count + remaining, max(body.count + count, 2 * body.capacity)))
    }

    /// Hands the request out and makes ready for the next one.
    private mutating func finish() -> ParsedRequest? {
        guard let head else { return nil }
        let parsed = ParsedRequest(request: Request(head: head, body: body), isPersistent: isPersistent)
        self = RequestParser(limits: limits, bodyRule: bodyRule)
        return parsed
    }
}
