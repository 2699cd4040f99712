/// The token by which Apple knows one app on one device, as lower-case hexadecimal.
///
/// Its length is Apple's to choose ("do not hard-code their size"): 16 to 400 digits are taken. It becomes part of a
/// URL, so that nothing but digits gets through here is also what keeps a registration from choosing the path.
package struct DeviceToken: Hashable, Sendable, CustomStringConvertible {
    /// Lower-case hexadecimal digits, an even number of them.
    package let hex: String

    /// Reads hexadecimal digits of either case; anything else is nil.
    package init?(parsing text: String.UTF8View) {
        guard (16...400).contains(text.count), text.count.isMultiple(of: 2) else { return nil }
        var digits: [UInt8] = []
        digits.reserveCapacity(text.count)
        for octet in text {
            switch octet {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(octet)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digits.append(octet | 0x20)
            default: return nil
            }
        }
        hex = String(decoding: digits, as: UTF8.self)
    }

    /// Says nothing, so that no log line or error text can carry a token by accident.
    package var description: String { "<device token>" }
}
