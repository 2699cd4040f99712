/// One line of a head, as it arrives.
///
/// Only CR LF ends a line (RFC 9112, section 2.2 lets a recipient accept a lone LF; then it and the proxy before it
/// may see different requests). Control octets are refused here, so nothing behind it meets a NUL.
struct Line: Sendable {
    /// What arrived so far, without the CR LF.
    private(set) var octets: [UInt8] = []
    private var sawCarriageReturn = false

    /// Takes one octet; returns true when it completes the line.
    mutating func append(_ octet: UInt8) throws(Refusal) -> Bool {
        if sawCarriageReturn {
            guard octet == Octet.lineFeed else { throw .malformedLine }
            return true
        }
        if octet == Octet.carriageReturn {
            sawCarriageReturn = true
            return false
        }
        guard octet.isFieldContent else { throw .malformedLine }
        octets.append(octet)
        return false
    }

    /// Takes the octets in front that only lengthen the line, at most `most`; returns how many.
    ///
    /// What `append` would do with each of them, done with all at once.
    mutating func appendContent(of input: inout ArraySlice<UInt8>, atMost most: Int) -> Int {
        guard !sawCarriageReturn else { return 0 }
        let content = input.prefix(max(0, most)).prefix { $0.isFieldContent }
        octets += content
        input = input[content.endIndex...]
        return content.count
    }

    /// Makes ready for the next line, keeping the memory.
    mutating func clear() {
        octets.removeAll(keepingCapacity: true)
        sawCarriageReturn = false
    }
}
