import RelayTesting
import Testing

/// The `Authorization` fields of `vapid_headers.json`, all for one origin, one key and one moment.
struct SenderVectors: Decodable {
    let now: Int64
    let origin: String
    let pinned_k: Octets
    let cases: [Case]

    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let id: String
        let desc: String
        let authorization: String?
        let expect: String
        var testDescription: String { "\(id) \(desc)" }
    }

    static let all: SenderVectors = {
        do { return try Vectors.load("vapid_headers") } catch { fatalError("vapid_headers.json: \(error)") }
    }()

    static func expecting(_ expect: String) -> [Case] { all.cases.filter { $0.expect == expect } }
}
