import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The relay's routes for the app, from a call to an answer that is a relay's.
struct Relay: Sendable {
    enum Method: String {
        case get = "GET"
        case post = "POST"
        case delete = "DELETE"
    }

    let url: URL
    let token: Secret
    var transport: Transport

    /// The same, which does not ask again by itself.
    var once: Relay {
        var once = self
        once.transport.policy.attempts = 1
        return once
    }

    /// Asks the route at `/subscribe/<path>`.
    ///
    /// - Throws: ``RelayClientError`` and `CancellationError` alone.
    func answer(_ method: Method, _ path: [String], body: (any Encodable)? = nil) async throws -> RelayAnswer {
        let request = try request(method, path, body: body)
        do {
            return RelayAnswer(try await transport.answer(to: request))
        } catch let error as TransportError {
            throw RelayClientError(error)
        }
    }

    func request(_ method: Method, _ path: [String], body: (any Encodable)?) throws -> URLRequest {
        // At another path a relay says that there is no such subscription, and the app would take it for gone.
        if url.host?.isEmpty == false, !["", "/"].contains(url.path) || url.query != nil {
            throw RelayClientError.configuration(nil, message: "the relay's URL is its PUBLIC_URL, which has no path")
        }
        let target = (["subscribe"] + path).reduce(url) { $0.appendingPathComponent($1) }
        var request = URLRequest(url: target)
        request.httpMethod = method.rawValue
        request.setValue("Bearer \(token.text)", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let body {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            request.httpBody = try encoder.encode(body)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        }
        return request
    }
}

/// An answer, and what it means where it comes from a relay.
struct RelayAnswer: Sendable {
    private let answer: Answer
    /// What a relay says of an error; nil where no relay says it.
    private let problem: Problem?

    /// How a relay answers what it does not do.
    private struct Problem: Decodable {
        let error: String
        let message: String
    }

    init(_ answer: Answer) {
        self.answer = answer
        problem = answer.status >= 400 ? answer.decoded(Problem.self) : nil
    }

    var status: Int { answer.status }

    /// No such path, or no such subscription, and a relay says so: another server's 404 costs no subscription.
    var isNotFound: Bool { status == 404 && problem?.error == ErrorWord.notFound.rawValue }

    /// The body, of an answer with the one status that a relay gives with it.
    func decoded<Body: Decodable>(_ type: Body.Type, status expected: Int) throws(RelayClientError) -> Body {
        guard status == expected, let body = answer.decoded(type) else { throw error }
        return body
    }

    /// Takes 204, and a relay's 404: what does not exist needs no tidying up.
    func expectDone() throws(RelayClientError) {
        guard status == 204 || isNotFound else { throw error }
    }

    /// What an answer means that is not the one that was asked for.
    private var error: RelayClientError {
        // A proxy in front of the relay answers in its own words while the relay is down.
        if answer.isTransient {
            let words = problem.map { $0.message.printable } ?? ""
            return .askAgainLater(after: answer.retryAfter, reason: words.isEmpty ? "the answer is \(status)" : words)
        }
        guard let problem else { return .notARelay(status: status) }
        let word = ErrorWord(rawValue: problem.error)
        switch word {
        case .methodNotAllowed:
            return .configuration(word, message: "the relay is older than this library: upgrade the relay")
        case nil: return .configuration(nil, message: "\(problem.error): \(problem.message)".printable)
        default: return .configuration(word, message: problem.message.printable)
        }
    }
}
