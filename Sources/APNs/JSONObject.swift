/// A JSON object (RFC 8259, section 4) as it is written, member after member in the order they are added.
///
/// Foundation's encoder takes three times as long, most of it for memory that it asks for and gives back.
struct JSONObject {
    private var octets = [UInt8(ascii: "{")]

    /// Adds a text; nil adds no member.
    ///
    /// The name is written as it is, and must need no escape.
    mutating func add(_ name: StaticString, _ text: String?) {
        guard var text else { return }
        begin(name)
        octets.append(UInt8(ascii: "\""))
        text.withUTF8 { for octet in $0 { append(escaping: octet) } }
        octets.append(UInt8(ascii: "\""))
    }

    /// Adds a number; nil adds no member.
    mutating func add(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        begin(name)
        octets += "\(number)".utf8
    }

    /// Adds an object.
    mutating func add(_ name: StaticString, _ object: JSONObject) {
        begin(name)
        octets += object.text
    }

    /// The whole of it, in UTF-8.
    var text: [UInt8] { octets + [UInt8(ascii: "}")] }

    private mutating func begin(_ name: StaticString) {
        if octets.count > 1 { octets.append(UInt8(ascii: ",")) }
        octets.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { octets += $0 }
        octets.append(UInt8(ascii: "\""))
        octets.append(UInt8(ascii: ":"))
    }

    /// What RFC 8259, section 7 has escaped, and nothing else: not "/", which would be two octets for one.
    private mutating func append(escaping octet: UInt8) {
        switch octet {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): octets += [UInt8(ascii: "\\"), octet]
        case 0x08: octets += "\\b".utf8
        case 0x09: octets += "\\t".utf8
        case 0x0a: octets += "\\n".utf8
        case 0x0c: octets += "\\f".utf8
        case 0x0d: octets += "\\r".utf8
        case ..<0x20: octets += "\\u00\(octet < 0x10 ? "0" : "")\(String(octet, radix: 16))".utf8
        default: octets.append(octet)
        }
    }
}
