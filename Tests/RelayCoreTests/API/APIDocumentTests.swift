import Foundation
import Testing
import WebPush

@testable import HTTPServer
@testable import RelayCore

@Suite("docs/openapi.yaml says what the relay does, no more and no less") struct APIDocumentTests {
    private static func trials() async throws -> [APITrial] {
        let document = try await APIDocument.read()
        return document.paths.flatMap { template, operations in
            let methods = Set(operations.keys.map { $0.uppercased() })
            return operations.map { method, operation in
                APITrial(template: template, method: method.uppercased(), operation: operation, methods: methods)
            }
        }
    }

    /// A path of the document for each route: whoever adds a route is led here by the compiler.
    private static func template(_ route: Route) -> String {
        switch route {
        case .health: "/healthz"
        case .push: "/wp/{id}"
        case .subscribe: "/subscribe"
        case .subscription: "/subscribe/{id}"
        case .read: "/subscribe/{id}/read"
        case .unread: "/subscribe/{id}/unread"
        case .badges: "/subscribe/{id}/badges"
        case .test: "/subscribe/{id}/test"
        }
    }

    private static let routes: [Route] = [
        .health, .push([]), .subscribe, .subscription([]), .read([]), .unread([]), .badges([]), .test([]),
    ]

    @Test func `it has the path of each route, and no other`() async throws {
        let paths = try await APIDocument.read().paths.keys
        #expect(Set(paths).symmetricDifference(Self.routes.map(Self.template)) == [])
        for path in paths {
            let route = try #require(Route(Array(path.replacing("{id}", with: "some-id").utf8)), "\(path)")
            #expect(Self.template(route) == path)
        }
    }

    @Test func `each path has the methods that its route takes, and says whether it asks for the app's token`()
        async throws
    {
        for trial in try await Self.trials() {
            let route = try #require(Route(Array(trial.path("some-id").utf8)))
            let allowed = route.allow.split(separator: ", ").map(String.init)
            #expect(trial.methods.symmetricDifference(allowed) == [], "\(trial.template)")
            #expect(APITrial.allMethods.filter(route.allows).symmetricDifference(allowed) == [], "\(trial.template)")
            #expect(trial.operation.security.contains { $0.keys.contains("subscribeToken") } == route.isForTheApp)
            #expect(trial.operation.responses["405"]?.headers?["Allow"]?.schema.const == route.allow)
        }
    }

    @Test func `a body of each operation is as long as the document says, and has to be there where it says so`()
        async throws
    {
        for trial in try await Self.trials() {
            let about = Comment("\(trial.method) \(trial.template)")
            let rule = try #require(Route(Array(trial.path("some-id").utf8))).bodyRule
            #expect(trial.operation.bodyLimit == rule.limit, about)
            #expect(trial.operation.requestBody?.required ?? false == rule.isRequired, about)
            #expect(trial.refusal("Host: x\r\n") == (rule.isRequired ? .lengthRequired : nil), about)
            #expect(trial.refusal("Host: x\r\nContent-Length: \(rule.limit)\r\n") == nil, about)
            #expect(trial.refusal("Host: x\r\nContent-Length: \(rule.limit + 1)\r\n") == .bodyTooLarge, about)
        }
    }

    @Test func `it has the word of each error, and no other`() async throws {
        let document = try await APIDocument.read()
        let words = try #require(document.components.schemas["ErrorWord"]?.enum).compactMap(\.self)
        #expect(words.count == ErrorWord.allCases.count)
        #expect(Set(words).symmetricDifference(ErrorWord.allCases.map(\.rawValue)) == [])
        let answers = document.paths.values.flatMap(\.values).flatMap(\.answers)
        let used = answers.compactMap { $0.split(separator: " ").last.map(String.init) }
        #expect(Set(words).subtracting(used) == [])
    }

    @Test func `each error has its status, message and fields as the relay answers them`() async throws {
        let methods = Self.routes.map { RelayError.methodNotAllowed(allow: $0.allow) }
        let answered = (ErrorWordTests.errors + methods).map(\.response) + Refusal.allCases.map(\.response)
        for trial in try await Self.trials() {
            for (status, answer) in trial.operation.responses where !status.hasPrefix("2") {
                for (word, example) in try #require(answer.content?["application/json"]).examples {
                    let about = Comment("\(trial.method) \(trial.template): \(status) \(word)")
                    let text = Self.error(example.value)
                    #expect(text["error"] == word, about)
                    let allow = answer.headers?["Allow"]?.schema.const
                    let same = answered.filter {
                        "\($0.status)" == status && $0.errorWord == word && $0.value("Allow") == allow
                    }
                    #expect(!same.isEmpty, about)
                    // These two name what is wrong.
                    if word != "malformed_body", word != "malformed_message" {
                        #expect(same.contains { Self.error($0.text) == text }, about)
                    }
                    #expect(same.allSatisfy { Self.agrees($0, answer) }, about)
                }
            }
        }
    }

    @Test func `each example of a request is answered as its operation says`() async throws {
        for trial in try await Self.trials() {
            let (status, answer) = try #require(trial.operation.responses.first { $0.key.hasPrefix("2") })
            let schema = answer.content?["application/json"]?.schema
            for (name, response) in try await trial.answersToExamples() {
                let about = Comment("\(trial.method) \(trial.template) \(name): \(response.text)")
                #expect("\(response.status)" == status, about)
                #expect(Self.agrees(response, answer), about)
                guard let schema, trial.method != "HEAD" else { continue }
                let members = try #require(
                    JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any],
                    about
                )
                #expect(Set(schema.required ?? []).subtracting(members.keys) == [], about)
                #expect(Set(members.keys).subtracting((schema.properties ?? [:]).keys) == [], about)
            }
        }
    }

    @Test func `each operation is answered with what it says and with nothing else`() async throws {
        for trial in try await Self.trials() {
            let about = Comment("\(trial.method) \(trial.template)")
            let responses = try await trial.answersOfRoutes() + trial.answersOfListener()
            for response in responses {
                guard let answer = trial.operation.responses["\(response.status)"] else { continue }
                #expect(Self.agrees(response, answer), "\(trial.method) \(trial.template): \(response)")
            }
            let seen = Set(responses.map { ["\($0.status)", $0.errorWord].compactMap(\.self).joined(separator: " ") })
            #expect(seen.subtracting(trial.operation.answers) == [], about)
            #expect(trial.operation.answers.subtracting(seen).subtracting(Self.heldElsewhere) == [], about)
        }
    }

    /// What other suites bring about: bodies and signatures that are wrong in one way each, and faults of OpenSSL.
    private static let heldElsewhere: Set<String> = {
        let bodies = MessageError.allCases.map { RelayError.undecryptable($0) }
        let senders = SenderError.allCases.map { RelayError.otherSender($0) }
        return Set(
            (bodies + senders + [.signingKeyReused, .internalFailure]).map(\.response).map {
                "\($0.status) \($0.errorWord ?? "")"
            }
        )
    }()

    private static func error(_ text: String) -> [String: String] {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String]) ?? [:]
    }

    /// Whether a response has the documented fields, with their values where those are fixed, and no others.
    private static func agrees(_ response: Response, _ answer: APIDocument.Answer) -> Bool {
        let documented = answer.headers ?? [:]
        let hasAll = documented.allSatisfy { name, field in
            guard let value = response.value(name) else { return !field.required }
            return field.schema.const == nil || field.schema.const == value
        }
        return hasAll && response.fields.allSatisfy { $0.name == "Content-Type" || documented[$0.name] != nil }
    }
}
