/// JSON as RFC 8259 has it and nothing beyond: a second opinion on what the relay writes, and no library's.
enum StrictJSON: Equatable {
    case object([String: StrictJSON])
    case array([StrictJSON])
    /// UTF-8: two texts are the same when their octets are.
    case text([UInt8])
    /// As it stands.
    case number(String)
    case word(String)

    static func text(_ text: String) -> StrictJSON { .text(Array(text.utf8)) }

    /// Nil for octets that are not one value of JSON in UTF-8, or that give a member twice.
    static func read(_ octets: [UInt8]) -> StrictJSON? {
        guard String(validating: octets, as: UTF8.self) != nil else { return nil }
        var reader = Reader(rest: octets[...])
        guard let value = reader.value(depth: 0) else { return nil }
        reader.skipSpace()
        return reader.rest.isEmpty ? value : nil
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func skipSpace() { rest = rest.drop { [0x20, 0x09, 0x0a, 0x0d].contains($0) } }

        private mutating func take(_ word: String) -> Bool {
            guard rest.starts(with: word.utf8) else { return false }
            rest = rest.dropFirst(word.utf8.count)
            return true
        }

        mutating func value(depth: Int) -> StrictJSON? {
            skipSpace()
            guard depth < 16 else { return nil }
            switch rest.first {
            case UInt8(ascii: "{"): return object(depth: depth)
            case UInt8(ascii: "["): return array(depth: depth)
            case UInt8(ascii: "\""): return text().map { .text($0) }
            default:
                for word in ["true", "false", "null"] where take(word) { return .word(word) }
                return number()
            }
        }

        private mutating func object(depth: Int) -> StrictJSON? {
            var members: [String: StrictJSON] = [:]
            rest.removeFirst()
            skipSpace()
            if take("}") { return .object(members) }
            repeat {
                skipSpace()
                guard let name = text().map({ String(decoding: $0, as: UTF8.self) }) else { return nil }
                skipSpace()
                guard take(":"), let value = value(depth: depth + 1), members.updateValue(value, forKey: name) == nil
                else { return nil }
                skipSpace()
            } while take(",")
            return take("}") ? .object(members) : nil
        }

        private mutating func array(depth: Int) -> StrictJSON? {
            var values: [StrictJSON] = []
            rest.removeFirst()
            skipSpace()
            if take("]") { return .array(values) }
            repeat {
                guard let value = value(depth: depth + 1) else { return nil }
                values.append(value)
                skipSpace()
            } while take(",")
            return take("]") ? .array(values) : nil
        }

        private mutating func number() -> StrictJSON? {
            var digits = rest
            let isInteger = digits.popFirst().map { $0 == 0x2d || (0x30...0x39).contains($0) } ?? false
            guard isInteger else { return nil }
            let text = rest.prefix { (0x30...0x39).contains($0) || [0x2d, 0x2b, 0x2e, 0x65, 0x45].contains($0) }
            rest = rest.dropFirst(text.count)
            return .number(String(decoding: text, as: UTF8.self))
        }

        private mutating func text() -> [UInt8]? {
            guard take("\"") else { return nil }
            var octets: [UInt8] = []
            while let octet = rest.popFirst() {
                switch octet {
                case UInt8(ascii: "\""): return octets
                case UInt8(ascii: "\\"):
                    guard let scalar = escape() else { return nil }
                    octets += Array(String(scalar).utf8)
                case 0..<0x20: return nil
                default: octets.append(octet)
                }
            }
            return nil
        }

        /// A surrogate is half a character: only both halves together are read.
        private mutating func escape() -> Unicode.Scalar? {
            switch rest.popFirst() {
            case UInt8(ascii: "\""): return "\""
            case UInt8(ascii: "\\"): return "\\"
            case UInt8(ascii: "/"): return "/"
            case UInt8(ascii: "b"): return "\u{8}"
            case UInt8(ascii: "f"): return "\u{c}"
            case UInt8(ascii: "n"): return "\n"
            case UInt8(ascii: "r"): return "\r"
            case UInt8(ascii: "t"): return "\t"
            case UInt8(ascii: "u"):
                guard let high = unit() else { return nil }
                guard (0xd800..<0xdc00).contains(high) else { return Unicode.Scalar(high) }
                guard take("\\u"), let low = unit(), (0xdc00..<0xe000).contains(low) else { return nil }
                return Unicode.Scalar(0x1_0000 + (high - 0xd800) << 10 + (low - 0xdc00))
            default: return nil
            }
        }

        private mutating func unit() -> UInt32? {
            let digits = rest.prefix(4)
            guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
            rest = rest.dropFirst(4)
            return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        }
    }
}
