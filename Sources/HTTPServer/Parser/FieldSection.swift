/// The field lines of a head, or of a trailer, as they arrive.
struct FieldSection: Sendable {
    private(set) var fields = Fields()
    private var line = Line()
    private var octets: Int

    /// `octets` have been spent of the head's allowance before the first field line.
    init(after octets: Int) {
        self.octets = octets
    }

    /// Octets that the fields take and the line that is arriving.
    var heldOctets: Int { fields.heldOctets + line.octets.capacity }

    /// Takes octets up to the end of the empty line behind the last field; returns true when that is there.
    mutating func consume(_ input: inout ArraySlice<UInt8>, limits: Limits) throws(Refusal) -> Bool {
        while !input.isEmpty {
            octets += line.appendContent(of: &input, atMost: limits.headOctets - octets)
            if let octet = input.popFirst(), try append(octet, limits: limits) { return true }
        }
        return false
    }

    /// Takes one octet; returns true when it ends the empty line behind the last field.
    mutating func append(_ octet: UInt8, limits: Limits) throws(Refusal) -> Bool {
        octets += 1
        guard octets <= limits.headOctets else { throw .headTooLarge }
        guard try line.append(octet) else { return false }
        if line.octets.isEmpty { return true }
        guard fields.count < limits.fieldLines else { throw .tooManyFields }
        try fields.append(line)
        line.clear()
        return false
    }
}
