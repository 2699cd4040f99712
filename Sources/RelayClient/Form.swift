import Foundation

/// A body of `application/x-www-form-urlencoded`, as browsers write it
/// (<https://url.spec.whatwg.org/#urlencoded-serializing>).
struct Form {
    private var text = ""

    var body: Data { Data(text.utf8) }

    mutating func append(_ name: String, _ value: String) {
        if !text.isEmpty { text += "&" }
        text += "\(Self.encoded(name))=\(Self.encoded(value))"
    }

    private static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var octets: [UInt8] = []
        for octet in text.utf8 {
            if octet.isLetterOrDigit || "*-._".utf8.contains(octet) {
                octets.append(octet)
            } else if octet == UInt8(ascii: " ") {
                octets.append(UInt8(ascii: "+"))
            } else {
                octets += [UInt8(ascii: "%"), digits[Int(octet >> 4)], digits[Int(octet & 0x0f)]]
            }
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
