import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way: it gathers the answer up to a limit, and follows no redirect.
final class Exchange: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var continuation: CheckedContinuation<Answer, any Error>?
        var isOver = false
        var body = Data()
    }

    private let longestBody: Int
    private let state = Locked(State())

    private init(longestBody: Int) {
        self.longestBody = longestBody
    }

    /// Sends the request once; a redirect is an answer like every other.
    ///
    /// - Throws: what `URLSession` says, or `CancellationError`.
    static func answer(to request: URLRequest, in session: URLSession, longestBody: Int) async throws -> Answer {
        let exchange = Exchange(longestBody: longestBody)
        #if canImport(FoundationNetworking)
            // There only the delegate of a session gets data, not that of a task.
            let session = URLSession(configuration: session.configuration, delegate: exchange, delegateQueue: nil)
            defer { session.invalidateAndCancel() }
            let task = session.dataTask(with: request)
        #else
            let task = session.dataTask(with: request)
            task.delegate = exchange
        #endif
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchange.begin(continuation)
                task.resume()
            }
        } onCancel: {
            exchange.end(.failure(CancellationError()))
            task.cancel()
        }
    }

    private func begin(_ continuation: CheckedContinuation<Answer, any Error>) {
        let isOver = state.withLock { state in
            if !state.isOver { state.continuation = continuation }
            return state.isOver
        }
        if isOver { continuation.resume(throwing: CancellationError()) }
    }

    /// The first result counts.
    private func end(_ result: Result<Answer, any Error>) {
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            state.isOver = true
            return state.continuation
        }
        continuation?.resume(with: result)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = state.withLock { state in
            guard state.body.count + data.count <= longestBody else { return true }
            state.body += data
            return false
        }
        guard isTooLong else { return }
        // Whoever sends as much is not who was asked, and the status says the rest.
        if let response = dataTask.response as? HTTPURLResponse { end(.success(Answer(response, body: Data()))) }
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error { return end(.failure(error)) }
        guard let response = task.response as? HTTPURLResponse else {
            return end(.failure(URLError(.badServerResponse)))
        }
        end(.success(Answer(response, body: state.withLock(\.body))))
    }
}
