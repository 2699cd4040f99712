extension Outcome.Cause: CustomStringConvertible {
    /// For the log: what stood in the way, in one line without a secret.
    package var description: String {
        switch self {
        case .rejection(let rejection):
            rejection.word.isEmpty ? "status \(rejection.status)" : "\(rejection.status) \(rejection.word)"
        case .transport(.failed(let code, let text)): "no answer: \(text) (libcurl \(code))"
        case .transport(.tooManyConnections): "no connection: too many were opened in a short time"
        case .transport(.deadline(waiting: true)): "no answer: waited too long to be sent"
        case .transport(.deadline(waiting: false)): "no answer in time"
        case .transport(.notHTTP2): "the answer did not come over HTTP/2"
        case .transport(.unsigned): "the provider token could not be signed"
        case .overloaded: "too many notifications wait for Apple"
        case .noThread: "the system gave no thread for a connection to Apple"
        case .stopping: "the relay is stopping"
        }
    }
}
