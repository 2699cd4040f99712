/// How the end of a request's body is found (RFC 9112, section 6).
enum BodyFraming: Sendable, Equatable {
    case none
    case length(Int)
    case chunked

    /// Reads Content-Length and Transfer-Encoding; the two together are refused, whichever comes first.
    ///
    /// RFC 9112, section 6.3 would let Transfer-Encoding win; a proxy that decides otherwise then sees another request.
    init(_ fields: Fields, version: RequestLine.Version) throws(Refusal) {
        let lengths = fields.values("Content-Length")
        let codings = fields.values("Transfer-Encoding")
        switch (lengths.first, codings.first) {
        case (nil, nil):
            self = .none
        case (_?, _?):
            throw .conflictingLengths
        case (let length?, nil):
            guard lengths.count == 1 else { throw .repeatedField }
            self = .length(try Self.length(length))
        case (nil, let coding?):
            guard codings.count == 1, version == .http11 else { throw .malformedTransferCoding }
            try Self.checkChunked(coding)
            self = .chunked
        }
    }

    /// 1*DIGIT (RFC 9110, section 8.6); a number beyond Int is beyond every limit.
    private static func length(_ value: [UInt8]) throws(Refusal) -> Int {
        guard !value.isEmpty, value.allSatisfy(\.isDigit) else { throw .malformedLength }
        var length = 0
        for octet in value {
            guard let digit = octet.decimalValue else { throw .malformedLength }
            let (tens, isTooLarge) = length.multipliedReportingOverflow(by: 10)
            let (sum, isStillTooLarge) = tens.addingReportingOverflow(digit)
            guard !isTooLarge, !isStillTooLarge else { throw .bodyTooLarge }
            length = sum
        }
        return length
    }

    /// `chunked` alone is served.
    ///
    /// Another coding is 501 (RFC 9112, section 6.1), but 400 when chunked is doubled or not last: then where the
    /// request ends is anyone's guess (section 6.3).
    private static func checkChunked(_ value: [UInt8]) throws(Refusal) {
        if value.spells("chunked") { return }
        let codings = value.split(separator: Octet.comma, omittingEmptySubsequences: false).map(\.trimmed)
        guard codings.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isTokenCharacter) }) else {
            throw .malformedTransferCoding
        }
        guard !codings.dropLast().contains(where: { $0.spells("chunked") }) else { throw .malformedTransferCoding }
        throw .unsupportedTransferCoding
    }
}
