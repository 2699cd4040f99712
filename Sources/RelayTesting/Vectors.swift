import Crypto
package import Foundation

/// The JSON files of `Tests/Vectors`.
package enum Vectors {
    /// One file, decoded; the name is without its ending.
    package static func load<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        let file = repository.appending(path: "Tests/Vectors/\(name).json")
        return try JSONDecoder().decode(type, from: Data(contentsOf: file))
    }

    /// The root of the working copy.
    package static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

/// Octets that a vector writes as base64url.
package struct Octets: Decodable, Sendable {
    package let octets: [UInt8]

    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let octets = Base64URL.decode(text.utf8) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not base64url"))
        }
        self.octets = octets
    }
}
