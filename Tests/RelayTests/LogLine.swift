import Foundation

/// A line of the relay's log, in either format; nothing but whole lines is read as one.
struct LogLine {
    let fields: [String: String]

    var event: String? { fields["event"] }

    init?(_ line: String) {
        guard let fields = line.hasPrefix("{") ? Self.json(line) : Self.text(line) else { return nil }
        self.fields = fields
    }

    private static func json(_ line: String) -> [String: String]? {
        try? JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    }

    /// `key=value` pairs with one space between; a value with quotes is a JSON string.
    private static func text(_ line: String) -> [String: String]? {
        let pair = /([a-z_]+)=(?:"((?:[^"\\]|\\.)*)"|([^ "=\\]+))(?: (?=.)|$)/
        var rest = line[...]
        var fields: [String: String] = [:]
        while !rest.isEmpty {
            guard let match = rest.prefixMatch(of: pair) else { return nil }
            let value = match.2.map { quoted in
                try? JSONDecoder().decode(String.self, from: Data("\"\(quoted)\"".utf8))
            }
            guard let value = value ?? match.3.map(String.init), fields[String(match.1)] == nil else { return nil }
            fields[String(match.1)] = value
            rest = rest[match.range.upperBound...]
        }
        return fields.isEmpty ? nil : fields
    }
}
