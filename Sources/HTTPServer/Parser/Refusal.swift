/// Why the server answers by itself and closes the connection, without asking the handler.
enum Refusal: Error, Equatable, CaseIterable {
    case malformedLine
    case malformedRequestLine
    case malformedTarget
    case unsupportedVersion
    case requestLineTooLong
    case malformedField
    case headTooLarge
    case tooManyFields
    case malformedHost
    case repeatedField
    case conflictingLengths
    case malformedLength
    case malformedTransferCoding
    case unsupportedTransferCoding
    case lengthRequired
    case bodyTooLarge
    case malformedChunk
    case unsupportedExpectation
    case requestTimeout
    case handlerTimeout
    case overloaded

    /// The answer: status, machine word and what to do about it.
    var response: Response {
        switch self {
        case .malformedLine:
            .problem(400, "bad_request", "End every line of the head with CR LF and send no control octets in it.")
        case .malformedRequestLine:
            .problem(400, "bad_request", "Send a request line of method, target and HTTP/1.1 with single spaces.")
        case .malformedTarget:
            .problem(400, "bad_request", "Send the target as a path of URI characters that begins with a slash.")
        case .unsupportedVersion:
            .problem(505, "http_version_not_supported", "Use HTTP/1.1.")
        case .requestLineTooLong:
            .problem(414, "uri_too_long", "Send a shorter request line.")
        case .malformedField:
            .problem(400, "bad_request", "Send each header field on one line as name, colon and value.")
        case .headTooLarge:
            .problem(431, "header_fields_too_large", "Send shorter header fields.")
        case .tooManyFields:
            .problem(431, "header_fields_too_large", "Send fewer header fields.")
        case .malformedHost:
            .problem(400, "bad_request", "Send exactly one Host field with a host and an optional port.")
        case .repeatedField:
            .problem(400, "bad_request", "Send Authorization, Content-Length and Expect at most once each.")
        case .conflictingLengths:
            .problem(400, "bad_request", "Send either Content-Length or Transfer-Encoding, not both.")
        case .malformedLength:
            .problem(400, "bad_request", "Send Content-Length as decimal digits.")
        case .malformedTransferCoding:
            .problem(400, "bad_request", "Send Transfer-Encoding once, as chunked, and only with HTTP/1.1.")
        case .unsupportedTransferCoding:
            .problem(501, "not_implemented", "Send the body with Content-Length or as chunked.")
        case .lengthRequired:
            .problem(411, "length_required", "Send Content-Length or Transfer-Encoding: chunked.")
        case .bodyTooLarge:
            .problem(413, "payload_too_large", "Send a shorter body.")
        case .malformedChunk:
            .problem(400, "bad_request", "Send each chunk as hexadecimal size, CR LF, data, CR LF.")
        case .unsupportedExpectation:
            .problem(417, "expectation_failed", "Send no Expect other than 100-continue.")
        case .requestTimeout:
            .problem(408, "request_timeout", "Send the whole request sooner after connecting.")
        case .handlerTimeout, .overloaded:
            .problem(503, "service_unavailable", "Try again later.", fields: [("Retry-After", "10")])
        }
    }
}
