/// Octets with a meaning in the grammar of a message.
///
/// Everything in this module is decided on octets: as Characters, CR LF is one and full-width digits are hexadecimal.
enum Octet {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let semicolon = UInt8(ascii: ";")
}

extension UInt8 {
    /// ALPHA (RFC 5234, appendix B.1).
    var isLetter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: false
        }
    }

    /// DIGIT (RFC 5234, appendix B.1).
    var isDigit: Bool { decimalValue != nil }

    /// The value of a decimal digit, 0 to 9.
    var decimalValue: Int? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(self) - 0x30
        default: nil
        }
    }

    /// The value of a hexadecimal digit of either case, 0 to 15.
    var hexadecimalValue: Int? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(self) - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(self) - 0x61 + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(self) - 0x41 + 10
        default: nil
        }
    }

    /// A tchar (RFC 9110, section 5.6.2).
    var isTokenCharacter: Bool {
        if isLetter || isDigit { return true }
        return switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    /// A character of a reg-name apart from "%": unreserved or sub-delims (RFC 3986, section 3.2.2).
    var isNameCharacter: Bool {
        if isLetter || isDigit { return true }
        return switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "="):
            true
        default:
            false
        }
    }

    /// A character of a path or query (RFC 3986, sections 3.3 and 3.4); "%" stands for itself and is not decoded.
    var isTargetCharacter: Bool {
        if isNameCharacter { return true }
        return switch self {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "%"): true
        default: false
        }
    }

    /// An octet that a field value may hold: VCHAR, SP, HTAB or obs-text (RFC 9110, section 5.5).
    var isFieldContent: Bool {
        self == Octet.tab || (self >= Octet.space && self != 0x7F)
    }

    /// Optional white space: SP or HTAB (RFC 9110, section 5.6.3).
    var isWhitespace: Bool { self == Octet.space || self == Octet.tab }

    /// The same octet with A to Z made a to z, and nothing else changed.
    var lowercased: UInt8 {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): self | 0x20
        default: self
        }
    }
}

extension Collection<UInt8> {
    /// Whether the octets spell `text`, upper and lower case of ASCII letters being the same.
    func spells(_ text: String) -> Bool {
        count == text.utf8.count && elementsEqual(text.utf8) { $0.lowercased == $1.lowercased }
    }
}

extension Collection<UInt8> where SubSequence == ArraySlice<UInt8> {
    /// Without the optional white space at both ends.
    var trimmed: ArraySlice<UInt8> {
        guard let first = firstIndex(where: { !$0.isWhitespace }) else { return self[endIndex...] }
        var slice = self[first...]
        while let last = slice.last, last.isWhitespace { slice.removeLast() }
        return slice
    }
}
