/// A body in chunks, as it arrives (RFC 9112, section 7.1).
struct ChunkedBody: Sendable {
    /// The data of the chunks so far; never more than the limit.
    private(set) var octets: [UInt8] = []

    private enum Stage {
        case size
        case parameters
        case sizeEnd
        case data
        case dataReturn
        case dataEnd
        case trailers
    }

    private let limit: Int
    private var stage = Stage.size
    private var remaining = 0
    private var digits = 0
    private var parameterOctets = 0
    private var trailers = FieldSection(after: 0)

    /// More than these digits of a size are leading zeros, of which a line could hold any number.
    private static let mostDigits = 16

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes octets up to the end of the body; returns true when it ends.
    mutating func consume(_ input: inout ArraySlice<UInt8>, limits: Limits) throws(Refusal) -> Bool {
        while !input.isEmpty {
            if stage == .data {
                let data = input.prefix(remaining)
                octets += data
                input.removeFirst(data.count)
                remaining -= data.count
                if remaining == 0 { stage = .dataReturn }
            } else if let octet = input.popFirst(), try append(octet, limits: limits) {
                return true
            }
        }
        return false
    }

    private mutating func append(_ octet: UInt8, limits: Limits) throws(Refusal) -> Bool {
        switch stage {
        case .size:
            try appendToSize(octet)
        case .parameters:
            if octet == Octet.carriageReturn {
                stage = .sizeEnd
            } else {
                parameterOctets += 1
                guard octet.isFieldContent, parameterOctets <= limits.chunkExtensionOctets else {
                    throw .malformedChunk
                }
            }
        case .sizeEnd:
            guard octet == Octet.lineFeed else { throw .malformedChunk }
            stage = remaining == 0 ? .trailers : .data
        case .data, .dataReturn:
            guard octet == Octet.carriageReturn else { throw .malformedChunk }
            stage = .dataEnd
        case .dataEnd:
            guard octet == Octet.lineFeed else { throw .malformedChunk }
            (stage, digits, parameterOctets) = (.size, 0, 0)
        case .trailers:
            // Checked like fields and dropped: one that joined the fields could change what was already decided.
            return try trailers.append(octet, limits: limits)
        }
        return false
    }

    /// One octet of the size line before any extension: hexadecimal digits, then ";" or CR.
    private mutating func appendToSize(_ octet: UInt8) throws(Refusal) {
        if let digit = octet.hexadecimalValue {
            digits += 1
            guard digits <= Self.mostDigits else { throw .malformedChunk }
            let (shifted, isTooLarge) = remaining.multipliedReportingOverflow(by: 16)
            let (sum, isStillTooLarge) = shifted.addingReportingOverflow(digit)
            // Known before the size is complete: more digits only make it larger.
            guard !isTooLarge, !isStillTooLarge, sum <= limit - octets.count else { throw .bodyTooLarge }
            remaining = sum
            return
        }
        guard digits > 0 else { throw .malformedChunk }
        switch octet {
        case Octet.semicolon: stage = .parameters
        case Octet.carriageReturn: stage = .sizeEnd
        default: throw .malformedChunk
        }
    }
}
