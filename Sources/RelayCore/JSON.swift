import FoundationEssentials

/// JSON as it may come in: UTF-8, an object, and nothing that Foundation would silently read in another encoding.
enum JSON {
    /// The octets are not JSON, or not of the shape that was asked for; the text names the member at fault.
    ///
    /// What decodes a value throws it too, where it can say more than that the value is not valid.
    struct Malformed: Error, Equatable {
        let text: String
    }

    /// Decodes a body.
    ///
    /// Foundation guesses UTF-16 and UTF-32 from zero octets and skips a byte order mark; RFC 8259, section 8.1 has
    /// UTF-8 without a mark only, so all three are refused before it sees them.
    static func decode<Value: Decodable>(_ octets: [UInt8], as type: Value.Type = Value.self) throws(Malformed) -> Value
    {
        guard String(validating: octets, as: UTF8.self) != nil, !octets.contains(0), !octets.starts(with: [0xef, 0xbb])
        else { throw Malformed(text: "the body is not JSON in UTF-8") }
        guard !hasLongName(octets) else { throw Malformed(text: "a name in the body is longer than 256 octets") }
        do {
            return try JSONDecoder().decode(type, from: Data(octets))
        } catch let error as Malformed {
            throw error
        } catch DecodingError.keyNotFound(let key, _) {
            throw Malformed(text: "\"\(key.stringValue)\" is missing")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            throw Malformed(text: place(context, "has the wrong type"))
        } catch DecodingError.dataCorrupted(let context) {
            throw Malformed(text: place(context, "is not valid"))
        } catch {
            throw Malformed(text: "the body is not JSON")
        }
    }

    /// Whether a member's name is longer than any that is known, by far.
    ///
    /// Foundation puts names into a dictionary, for which Swift brings each into Unicode's normal form; with combining
    /// marks in the wrong order that takes seconds for a name of 60,000 octets.
    private static func hasLongName(_ octets: [UInt8]) -> Bool {
        var length: Int?
        var lastLength = 0
        var isEscaped = false
        for octet in octets {
            if let open = length {
                if !isEscaped, octet == UInt8(ascii: "\"") {
                    (length, lastLength) = (nil, open)
                } else {
                    length = open + 1
                }
                isEscaped = !isEscaped && octet == UInt8(ascii: "\\")
                continue
            }
            switch octet {
            case UInt8(ascii: "\""): length = 0
            case UInt8(ascii: ":"): if lastLength > 256 { return true }
            case 0x20, 0x09, 0x0a, 0x0d: break
            default: lastLength = 0
            }
        }
        return false
    }

    private static func place(_ context: DecodingError.Context, _ fault: String) -> String {
        guard let key = context.codingPath.last else {
            return "the body is not a JSON object, or holds a number that is out of range"
        }
        return "\"\(key.stringValue)\" \(fault)"
    }
}
