/// The field lines of a head in order of arrival; names are compared without regard to ASCII case.
///
/// RFC 9110, section 5. Nothing is joined: two lines of one name stay two values, and the reader decides.
package struct Fields: Sendable {
    /// Where a line's parts are among the octets.
    private struct Place {
        let name: Range<Int>
        let value: Range<Int>
    }

    /// Names and values one behind the other: an array for each would cost more than what is in it.
    private var octets: [UInt8] = []
    private var lines: [Place] = []

    /// Lines as they would arrive: names are tokens, values are without white space at their ends.
    package init(_ lines: [(name: String, value: [UInt8])] = []) {
        for (name, value) in lines { append(Array(name.utf8)[...], value[...]) }
    }

    /// How many lines there are.
    var count: Int { lines.count }

    /// An account of what the lines take, not exact: their octets, and 64 for finding each.
    var heldOctets: Int { 64 * lines.count + octets.count }

    /// All values of a name, in order of arrival; empty when no line has it.
    package func values(_ name: String) -> [[UInt8]] {
        var values: [[UInt8]] = []
        for line in lines where isNamed(line, name) { values.append(Array(octets[line.value])) }
        return values
    }

    /// The value of the first line that has the name.
    package func first(_ name: String) -> [UInt8]? {
        lines.first { isNamed($0, name) }.map { Array(octets[$0.value]) }
    }

    /// How many lines have a name.
    func count(_ name: String) -> Int {
        lines.count { isNamed($0, name) }
    }

    private func isNamed(_ line: Place, _ name: String) -> Bool {
        line.name.count == name.utf8.count && octets[line.name].spells(name)
    }

    /// The members of a comma-separated list, over all lines of the name (RFC 9110, section 5.6.1).
    func members(_ name: String) -> [ArraySlice<UInt8>] {
        values(name).flatMap { $0.split(separator: Octet.comma) }.map(\.trimmed)
    }

    /// Adds a line as received (RFC 9112, section 5).
    ///
    /// White space before the colon, at the start of a line (obs-fold) and in a name are refused: each is read in two
    /// ways by different programs, which is how one request is made to look like two.
    mutating func append(_ line: Line) throws(Refusal) {
        let line = line.octets
        // No colon is a token character: it ends the name, or is missing.
        let name = line.prefix { $0.isTokenCharacter }
        guard !name.isEmpty, name.endIndex < line.endIndex, line[name.endIndex] == Octet.colon else {
            throw .malformedField
        }
        // That it is field content, the line has seen to.
        append(name, line[(name.endIndex + 1)...].trimmed)
    }

    private mutating func append(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        if lines.isEmpty {
            // Room for a push: growing to it takes longer than reading it.
            octets.reserveCapacity(512)
            lines.reserveCapacity(8)
        }
        let start = octets.count
        octets += name
        let middle = octets.count
        octets += value
        lines.append(Place(name: start..<middle, value: middle..<octets.count))
    }
}
