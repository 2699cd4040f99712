import Foundation
import RelayTesting

/// `docs/openapi.yaml`, as far as tests compare it with what the relay does.
struct APIDocument: Decodable, Sendable {
    /// By path and by method in lower case.
    let paths: [String: [String: Operation]]
    let components: Components

    struct Operation: Decodable, Sendable {
        let parameters: [Parameter]
        let requestBody: RequestBody?
        let security: [[String: [String]]]
        /// By status.
        let responses: [String: Answer]
        let bodyLimit: Int

        private enum CodingKeys: String, CodingKey {
            case parameters, requestBody, security, responses
            case bodyLimit = "x-body-limit"
        }
    }

    struct Parameter: Decodable, Sendable {
        let name: String
        let place: String
        let example: Text?

        private enum CodingKeys: String, CodingKey {
            case name, example
            case place = "in"
        }
    }

    struct RequestBody: Decodable, Sendable {
        let required: Bool
        let content: [String: Content]
    }

    struct Answer: Decodable, Sendable {
        let headers: [String: Field]?
        let content: [String: Content]?
    }

    struct Field: Decodable, Sendable {
        let required: Bool
        let schema: Schema
    }

    struct Content: Decodable, Sendable {
        let schema: Schema
        let examples: [String: Example]
    }

    struct Example: Decodable, Sendable {
        /// As it goes over the wire.
        let value: String
    }

    struct Schema: Decodable, Sendable {
        let required: [String]?
        let properties: [String: Anything]?
        let const: String?
        let `enum`: [String?]?
    }

    struct Components: Decodable, Sendable {
        let schemas: [String: Schema]
    }

    struct Anything: Decodable, Sendable {
        init(from decoder: any Decoder) {}
    }

    /// Text, or a number as it is written.
    struct Text: Decodable, Sendable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                text = "\(number)"
            } else {
                text = try container.decode(String.self)
            }
        }
    }

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// The document, read once.
    static func read() async throws -> APIDocument { try await reading.value }

    private static let reading = Task {
        func path(_ name: String) -> String { Vectors.repository.appending(path: name).path }
        let program = try Program(
            path(".build/python/bin/python"),
            ["-B", path("Tests/API/read_document.py"), path("docs/openapi.yaml")]
        )
        guard await program.end() == 0, let line = program.lines.first else {
            throw Unreadable(description: program.errors.joined(separator: "\n"))
        }
        return try JSONDecoder().decode(APIDocument.self, from: Data(line.utf8))
    }
}

extension APIDocument.Operation {
    /// What it answers: each status with each of its words, `404 not_found`, and a status alone where it is no error.
    var answers: Set<String> {
        var answers: Set<String> = []
        for (status, answer) in responses {
            guard !status.hasPrefix("2"), let content = answer.content?["application/json"] else {
                answers.insert(status)
                continue
            }
            for word in content.examples.keys { answers.insert("\(status) \(word)") }
        }
        return answers
    }
}
