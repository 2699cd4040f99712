/// A file of `NAME=value` lines, as systemd and Docker Compose read them.
///
/// Empty lines and lines that begin with `#` are skipped. A value is taken as it stands, without the white space around
/// it and without one pair of quotes around the whole; nothing in it is expanded.
package enum EnvironmentFile {
    package struct Malformed: Error, Equatable, CustomStringConvertible {
        package let line: Int
        package let text: String
        package var description: String { "line \(line) \(text)" }
    }

    /// The variables of a file; a name that comes twice is an error, since one of the two values would be ignored.
    package static func parse(_ octets: [UInt8]) throws(Malformed) -> [String: String] {
        guard let text = String(validating: octets, as: UTF8.self) else {
            throw Malformed(line: 1, text: "or a later one is not UTF-8: save the file as plain text")
        }
        var variables: [String: String] = [:]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = trimmed(line)
            guard !line.isEmpty, line.first != "#" else { continue }
            guard let equals = line.firstIndex(of: "=") else {
                throw Malformed(line: index + 1, text: "has no \"=\": write NAME=value, or begin it with #")
            }
            let name = String(line[..<equals])
            guard !name.isEmpty, name.utf8.allSatisfy(isNameOctet) else {
                throw Malformed(line: index + 1, text: "has no name before \"=\": write NAME=value without spaces")
            }
            guard variables[name] == nil else {
                throw Malformed(line: index + 1, text: "sets \(name) a second time: remove one of the two")
            }
            variables[name] = unquoted(trimmed(line[line.index(after: equals)...]))
        }
        return variables
    }

    private static func isNameOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private static func unquoted(_ value: Substring) -> String {
        guard value.count >= 2, let quote = value.first, quote == "\"" || quote == "'", value.last == quote else {
            return String(value)
        }
        return String(value.dropFirst().dropLast())
    }
}
