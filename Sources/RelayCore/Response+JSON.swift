import FoundationEssentials
import HTTPServer

extension Response {
    /// A value as a JSON object, its members in the order of their names.
    static func json(_ status: Int, _ value: some Encodable) throws(RelayError) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        guard let body = try? encoder.encode(value) else { throw .internalFailure }
        return Response(status: status, fields: [("Content-Type", "application/json")], body: Array(body))
    }
}
