/// Lower-case hexadecimal.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func encode(_ octets: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for octet in octets {
            text.append(digits[Int(octet >> 4)])
            text.append(digits[Int(octet & 0x0f)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
