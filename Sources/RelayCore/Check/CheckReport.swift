import FoundationEssentials

/// All lines of a check, for people and for programs.
package struct CheckReport: Sendable {
    package let lines: [CheckLine]

    package init(_ lines: [CheckLine]) {
        self.lines = lines
    }

    /// Whether nothing has failed; warnings do not count.
    package var isOK: Bool { !lines.contains { $0.state == .failed } }

    /// One line a thing, in columns, each remedy indented below its own; without a line feed at the end.
    package var text: String {
        let nameWidth = lines.map(\.name.count).max() ?? 0
        let stateWidth = 7
        let indent = String(repeating: " ", count: stateWidth + nameWidth + 4)
        return lines.flatMap { line in
            let head = "\(padded(line.state.rawValue, stateWidth))  \(padded(line.name, nameWidth))  \(line.text)"
            return [head] + (line.remedy.map { ["\(indent)-> \($0)"] } ?? [])
        }.joined(separator: "\n")
    }

    /// `{"checks":[{"name":…,"remedy":…,"state":…,"text":…}],"ok":…}`; `remedy` is left out where there is none.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let document = Document(ok: isOK, checks: lines.map(Document.Check.init))
        return (try? encoder.encode(document)).map { String(decoding: $0, as: UTF8.self) } ?? #"{"ok":false}"#
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private struct Document: Encodable {
        let ok: Bool
        let checks: [Check]

        struct Check: Encodable {
            let name: String
            let state: String
            let text: String
            let remedy: String?

            init(_ line: CheckLine) {
                name = line.name
                state = line.state.rawValue
                text = line.text
                remedy = line.remedy
            }
        }
    }
}
