/// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5), the form of every key and token here.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, letter) in zip(UInt8(0)..., alphabet) { values[Int(letter)] = value }
        return values
    }()

    /// Whether an octet is one of the 64 letters.
    package static func isLetter(_ octet: UInt8) -> Bool { values[Int(octet)] != nil }

    package static func encode(_ octets: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(octets.count / 3 * 4 + 4)
        var bits: UInt32 = 0
        var pending: UInt32 = 0
        for octet in octets {
            bits = (bits & 0xff) << 8 | UInt32(octet)
            pending += 8
            while pending >= 6 {
                pending -= 6
                text.append(alphabet[Int(bits >> pending & 0x3f)])
            }
        }
        if pending > 0 { text.append(alphabet[Int(bits << (6 - pending) & 0x3f)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The octets that `text` stands for, or nil when it is not exactly what `encode` would write for them: padding,
    /// another alphabet and stray low bits are refused, so that one value has one spelling.
    package static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var octets: [UInt8] = []
        var bits: UInt32 = 0
        var pending: UInt32 = 0
        for letter in text {
            guard let value = values[Int(letter)] else { return nil }
            bits = (bits & 0xff) << 6 | UInt32(value)
            pending += 6
            if pending >= 8 {
                pending -= 8
                octets.append(UInt8(truncatingIfNeeded: bits >> pending))
            }
        }
        // Six bits left over are a letter that encodes nothing; set bits below the last octet are a second spelling.
        guard pending < 6, bits & (1 << pending - 1) == 0 else { return nil }
        return octets
    }
}
