import Crypto
import Foundation

/// Looks for secrets in what anybody could read, in every spelling that a program would give them.
struct SecretSearch {
    private struct Needle {
        let name: String
        let octets: Data
    }

    private var needles: [Needle] = []

    /// How many spellings are looked for.
    var count: Int { needles.count }

    /// Adds octets: raw, as hex in both cases, and as base64 and base64url wherever they begin in a group of three.
    mutating func add(_ name: String, _ octets: some Sequence<UInt8>) {
        let octets = Array(octets)
        // A shorter one would be found by chance.
        precondition(octets.count >= 8, "\(name) is too short to be looked for")
        let hex = Hex.encode(octets)
        add(name, "raw", Data(octets))
        add(name, "hex", Data(hex.utf8))
        add(name, "HEX", Data(hex.uppercased().utf8))
        for shift in 0..<3 {
            // The digits in front share bits with what came before, and the last one with what comes behind.
            let shared = [0, 2, 3][shift]
            let partial = (shift + octets.count).isMultiple(of: 3) ? 0 : 1
            let url = Base64URL.encode([UInt8](repeating: 0, count: shift) + octets).dropFirst(shared).dropLast(partial)
            add(name, "base64url+\(shift)", Data(url.utf8))
            let plain = url.replacing("-", with: "+").replacing("_", with: "/")
            if plain != url { add(name, "base64+\(shift)", Data(plain.utf8)) }
        }
    }

    /// Adds a text, and the octets that it is the hex or the base64url of.
    mutating func add(_ name: String, text: String) {
        add(name, text.utf8)
        if let octets = Self.octets(hex: text), octets.count >= 8 { add("\(name) from hex", octets) }
        if let octets = Base64URL.decode(text.utf8), octets.count >= 8 { add("\(name) from base64url", octets) }
    }

    private mutating func add(_ name: String, _ spelling: String, _ octets: Data) {
        needles.append(Needle(name: "\(name), \(spelling)", octets: octets))
    }

    private static func octets(hex: String) -> [UInt8]? {
        let digits = hex.utf8.map { UInt8(String(decoding: [$0], as: UTF8.self), radix: 16) }
        guard digits.count.isMultiple(of: 2), digits.allSatisfy({ $0 != nil }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { 16 * (digits[$0] ?? 0) + (digits[$0 + 1] ?? 0) }
    }

    /// The names of those that are in there.
    func found(in haystack: Data) -> [String] {
        needles.filter { haystack.range(of: $0.octets) != nil }.map(\.name)
    }
}
