import Crypto

/// The `name=value` members of a field such as `Crypto-Key` or `Authorization`, in order.
///
/// Senders write them as one item or as several, with and without space and quotes: commas and semicolons both part
/// them here. Names are compared without regard to case.
struct Parameters {
    private var members: [(name: String, value: ArraySlice<UInt8>)] = []

    /// Nil when a member has no "=" or no name; empty members, as of a comma at the end, are skipped.
    init?(_ values: [some Collection<UInt8>]) {
        for value in values {
            for member in Array(value).split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }) {
                let member = trimmed(member)
                guard !member.isEmpty else { continue }
                guard let equals = member.firstIndex(of: UInt8(ascii: "=")), equals > member.startIndex else {
                    return nil
                }
                let name = trimmed(member[..<equals])
                // No name that is known is nearly as long, and lower case takes its time.
                guard name.count <= 32 else { continue }
                members.append(
                    (
                        String(decoding: name, as: UTF8.self).lowercased(),
                        unquoted(trimmed(member[member.index(after: equals)...]))
                    )
                )
            }
        }
    }

    /// How often a name comes.
    func count(of name: String) -> Int { members.count { $0.name == name } }

    /// The value of a name that comes once.
    func value(_ name: String) -> ArraySlice<UInt8>? {
        count(of: name) == 1 ? members.first { $0.name == name }?.value : nil
    }

    /// The octets that the value of a name stands for as base64url, padded or not.
    func octets(_ name: String) -> [UInt8]? {
        guard var text = value(name) else { return nil }
        for _ in 0..<2 where text.last == UInt8(ascii: "=") { text.removeLast() }
        return Base64URL.decode(text)
    }
}

private func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text.drop { $0 == 0x20 || $0 == 0x09 }
    while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
    return text
}

private func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let quote = UInt8(ascii: "\"")
    guard text.count >= 2, text.first == quote, text.last == quote else { return text }
    return text.dropFirst().dropLast()
}
