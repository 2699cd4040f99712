/// The field lines of a head in order of arrival; names are compared without regard to ASCII case.
///
/// RFC 9110, section 5. Nothing is joined: two lines of one name stay two values, and the reader decides.
package struct Fields: Sendable {
    private var lines: [(name: String, value: [UInt8])] = []

    /// Lines as they would arrive: names are tokens, values are without white space at their ends.
    package init(_ lines: [(name: String, value: [UInt8])] = []) {
        self.lines = lines
    }

    /// How many lines there are.
    var count: Int { lines.count }

    /// Octets that the lines take, with 64 for what an array and a name cost beside what they hold.
    var heldOctets: Int { lines.reduce(0) { $0 + 64 + $1.name.utf8.count + $1.value.count } }

    /// All values of a name, in order of arrival; empty when no line has it.
    package func values(_ name: String) -> [[UInt8]] {
        lines.filter { $0.name.utf8.spells(name) }.map(\.value)
    }

    /// The value of the first line that has the name.
    package func first(_ name: String) -> [UInt8]? {
        lines.first { $0.name.utf8.spells(name) }?.value
    }

    /// The members of a comma-separated list, over all lines of the name (RFC 9110, section 5.6.1).
    func members(_ name: String) -> [ArraySlice<UInt8>] {
        values(name).flatMap { $0.split(separator: Octet.comma) }.map(\.trimmed)
    }

    /// Adds a line as received, without its CR LF (RFC 9112, section 5).
    ///
    /// White space before the colon, at the start of a line (obs-fold) and in a name are refused: each is read in two
    /// ways by different programs, which is how one request is made to look like two.
    mutating func append(line: [UInt8]) throws(Refusal) {
        guard let colon = line.firstIndex(of: Octet.colon) else { throw .malformedField }
        let name = line[..<colon]
        guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else { throw .malformedField }
        let value = line[line.index(after: colon)...].trimmed
        guard value.allSatisfy(\.isFieldContent) else { throw .malformedField }
        lines.append((String(decoding: name, as: UTF8.self), Array(value)))
    }
}
