import Foundation
import Testing

/// A raw request and what the relay must make of it.
struct HostileRequest: Sendable, CustomTestStringConvertible, Decodable {
    let id: String
    let name: String
    let raw: [UInt8]

    /// Any of these will do.
    let statuses: Set<Int>

    /// The connection ends after one answer, and no handler sees anything.
    let isRefused: Bool

    var testDescription: String { "\(id) \(name)" }

    private enum Key: String, CodingKey {
        case id, name, raw_base64, relay_expect
    }

    init(_ id: String, _ name: String, _ raw: String, _ expectation: String) {
        self.init(id, name, Array(raw.utf8), expectation)
    }

    /// Reads an expectation as the table writes it: "400-close", "route-or-400", "405-or-501", "415 on /wp".
    init(_ id: String, _ name: String, _ raw: [UInt8], _ expectation: String) {
        (self.id, self.name, self.raw) = (id, name, raw)
        var statuses = Set(expectation.split { !$0.isNumber }.compactMap { Int($0) }.filter { $0 >= 200 })
        if expectation.contains("route") || expectation.contains("origin-form") { statuses.insert(201) }
        self.statuses = statuses
        isRefused = expectation.hasSuffix("-close")
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let raw = Data(base64Encoded: try values.decode(String.self, forKey: .raw_base64)) ?? Data()
        self.init(
            try values.decode(String.self, forKey: .id),
            try values.decode(String.self, forKey: .name),
            Array(raw),
            try values.decode(String.self, forKey: .relay_expect)
        )
    }

    private struct File: Decodable {
        let cases: [HostileRequest]
    }

    /// The rows of Tests/Vectors/h1_requests.json; empty, which a test notices, when it cannot be read.
    static let vectors: [HostileRequest] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = folder.appending(path: "Vectors/h1_requests.json")
        guard let data = try? Data(contentsOf: file) else { return [] }
        return (try? JSONDecoder().decode(File.self, from: data))?.cases ?? []
    }()

    static let all = vectors + table
}
