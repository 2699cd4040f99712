import Glibc
import Synchronization

/// A connection to Apple: notifications go in from any task, one thread sends them over HTTP/2 and brings the answers.
package final class Client: Sendable {
    /// Where Apple is and how the app is named there.
    package struct Configuration: Sendable {
        /// `https://` and a host, with a port where it is not 443; no path.
        package var origin: String
        /// The bundle id of the app, sent as `apns-topic`.
        package var topic: String
        /// A file of certificates to trust in place of the system's; for tests.
        package var certificateAuthorities: String?
        /// The time from `send` to its outcome, whatever Apple does.
        package var deadline: Duration = .seconds(8)
        /// The part of it that opening a connection may take.
        package var connectDeadline: Duration = .seconds(5)
        /// Notifications that may wait for a free stream; one more is refused at once.
        package var longestQueue = 1_000
        /// Streams in use at once, at most what Apple was seen to allow.
        package var mostInFlight = 100

        package static let production = "https://api.push.apple.com"
        package static let sandbox = "https://api.sandbox.push.apple.com"

        package init(origin: String, topic: String, certificateAuthorities: String? = nil) {
            self.origin = origin
            self.topic = topic
            self.certificateAuthorities = certificateAuthorities
        }
    }

    private let configuration: Configuration
    private let token: ProviderToken
    private let mailbox: Mailbox

    /// Starts the thread; the connection is opened by the first notification.
    package init(configuration: Configuration, token: ProviderToken) throws(ClientError) {
        self.configuration = configuration
        self.token = token
        mailbox = Mailbox(capacity: configuration.longestQueue)
        try startThread(TransferLoop(configuration: configuration, mailbox: mailbox))
    }

    deinit { stop() }

    /// Sends a notification and waits for what becomes of it, at most as long as the deadline allows.
    ///
    /// It does not throw: a failure is an outcome too. Cancelling the task does not take a notification back.
    package func send(_ notification: Notification) async -> Outcome {
        let bearer: String
        do { bearer = try token.value() } catch { return .tryAgain(.transport(.unsigned)) }
        return await withCheckedContinuation { continuation in
            let job = Job(
                notification: notification,
                bearer: bearer,
                deadline: .now + configuration.deadline,
                continuation: continuation
            )
            if let refused = mailbox.post(job) { continuation.resume(returning: refused) }
        }
    }

    /// Refuses what comes from now on and answers what is under way with `stopping`, then ends the connection.
    ///
    /// Returns at once; whoever wants the answers of notifications under way has to wait for them first.
    package func stop() {
        mailbox.close()
    }
}

/// Why no client could be made.
package enum ClientError: Error, CustomStringConvertible {
    case libcurl
    case thread(errno: Int32)

    package var description: String {
        switch self {
        case .libcurl: "libcurl could not be initialised: is there memory left?"
        case .thread(let code): "no thread could be started (errno \(code)): raise the limit on processes and threads"
        }
    }
}

/// One notification on its way, and who waits for it.
struct Job: Sendable {
    let notification: Notification
    let bearer: String
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Outcome, Never>
}

private func startThread(_ loop: TransferLoop) throws(ClientError) {
    let context = Unmanaged.passRetained(loop)
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, runTransferLoop, context.toOpaque())
    guard code == 0 else {
        context.release()
        throw .thread(errno: code)
    }
    pthread_detach(thread)
}

/// The thread's first function: it takes over the reference that `startThread` retained.
private func runTransferLoop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<TransferLoop>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
