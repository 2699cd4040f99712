import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Why there is no answer.
enum TransportError: Error, Equatable {
    /// The network, or who answers there, failed; the text is for a log.
    case network(String)
    /// There is nothing at such a URL, or it may not be asked.
    case unusableURL(String)
}

/// Sends requests, and sends them again where that can help.
struct Transport: Sendable {
    let session: URLSession
    var policy: RetryPolicy
    /// The most octets of a body; of a longer one nothing is kept.
    var longestBody = 65_536
    /// How long one attempt may take in all, in seconds: the relay answers within 9.
    var deadline: TimeInterval = 30
    var sleep: @Sendable (TimeInterval) async throws -> Void = { seconds in
        try await Task.sleep(nanoseconds: UInt64(seconds * 1_000_000_000))
    }
    /// A random number from 0 to 1.
    var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }

    /// The last answer: the first one after which there is no use in asking again, or the one that ends the attempts.
    ///
    /// - Throws: ``TransportError`` and `CancellationError` alone.
    func answer(to request: URLRequest) async throws -> Answer {
        guard let scheme = request.url?.scheme?.lowercased(), ["https", "http"].contains(scheme),
            request.url?.host?.isEmpty == false
        else {
            throw TransportError.unusableURL("the URL has to begin with https:// and a host")
        }
        var attempt = 1
        while true {
            let result = try await attemptOnce(request)
            guard result.isTransient, let delay = wait(after: attempt, result) else { return try result.get() }
            try await sleep(delay)
            attempt += 1
        }
    }

    private func wait(after attempt: Int, _ result: Result<Answer, TransportError>) -> TimeInterval? {
        policy.delay(afterAttempt: attempt, retryAfter: (try? result.get())?.retryAfter, jitter: jitter())
    }

    private func attemptOnce(_ request: URLRequest) async throws -> Result<Answer, TransportError> {
        try Task.checkCancellation()
        var request = request
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.httpShouldHandleCookies = false
        request.timeoutInterval = patience(session.configuration.timeoutIntervalForRequest)
        do {
            return .success(try await answerInTime(request))
        } catch {
            // What a cancelled task leads to has many names.
            try Task.checkCancellation()
            return .failure(TransportError(error))
        }
    }

    /// The deadline, or a time-out of the app's session that is shorter.
    private func patience(_ timeout: TimeInterval) -> TimeInterval { timeout > 0 ? min(deadline, timeout) : deadline }

    /// One attempt within its time, also where octets keep coming.
    private func answerInTime(_ request: URLRequest) async throws -> Answer {
        let patience = patience(session.configuration.timeoutIntervalForResource)
        return try await withThrowingTaskGroup(of: Answer.self) { group in
            group.addTask { try await Exchange.answer(to: request, in: session, longestBody: longestBody) }
            group.addTask {
                try await Task.sleep(nanoseconds: UInt64(patience * 1_000_000_000))
                throw URLError(.timedOut)
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw URLError(.unknown) }
            return first
        }
    }
}

extension TransportError {
    fileprivate init(_ error: any Error) {
        switch (error as? URLError)?.code {
        case .badURL?, .unsupportedURL?, .appTransportSecurityRequiresSecureConnection?:
            self = .unusableURL("the URL cannot be used: \(error.localizedDescription)")
        // Its description may name a host, and never a path, which would be a secret.
        default: self = .network("the network failed: \(error.localizedDescription)")
        }
    }
}

extension Result<Answer, TransportError> {
    /// Whether the same request may get another answer a moment later.
    fileprivate var isTransient: Bool {
        switch self {
        case .success(let answer): answer.isTransient
        case .failure(.network): true
        case .failure(.unusableURL): false
        }
    }
}
