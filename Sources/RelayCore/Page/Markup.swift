/// Well-formed HTML: a literal is taken as it is, and every text that is put into one is escaped.
///
/// It is XML as well, so that a parser can hold it to its form.
struct Markup: Sendable, ExpressibleByStringInterpolation {
    fileprivate(set) var text: String

    init(stringLiteral value: String) { text = value }

    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ markup: Markup) { text += markup.text }

        mutating func appendInterpolation(_ words: String) { Markup.escape(words, into: &text) }
    }

    static func += (left: inout Markup, right: Markup) { left.text += right.text }
}

extension Markup {
    /// A text from outside, which keeps its own direction to itself.
    static func foreign(_ words: String) -> Markup { "<bdi>\(words)</bdi>" }

    /// One after the other.
    static func each<Item>(_ items: some Sequence<Item>, _ markup: (Item) -> Markup) -> Markup {
        var all: Markup = ""
        for item in items { all += markup(item) }
        return all
    }

    private static func escape(_ words: String, into text: inout String) {
        for scalar in words.unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            case "'": text += "&#39;"
            case _ where isHidden(scalar): text += "⟨U+\(hex(scalar.value))⟩"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// Whether a scalar changes how others are shown while it cannot be seen itself, or has no place in HTML.
    ///
    /// Joiners and variation selectors stay: scripts and emoji are made of them.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F: true  // controls
        case 0x61C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // direction
        case 0x2028...0x2029, 0xFEFF, 0xFFF9...0xFFFB: true  // lines, byte order, annotations
        case 0xFDD0...0xFDEF: true  // not characters
        default: scalar.value & 0xFFFE == 0xFFFE
        }
    }

    private static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
