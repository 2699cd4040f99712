import Glibc
import Synchronization

/// A strict HTTP/1.1 listener: one thread, one handler for all complete requests.
///
/// The listener is bound when the server is made, so a failed start is known before anything else begins; connections
/// are taken from `start` on.
package final class Server: Sendable {
    /// The address in use, with the port that the kernel chose when 0 was asked for.
    package let boundAddress: ListenAddress

    private enum Lifecycle {
        case running(pthread_t)
        case stopped(finished: Bool, handlers: Int)
    }

    private let mailbox: Mailbox
    let meter = LoadMeter()
    private let lifecycle: Mutex<Lifecycle>

    /// Binds and listens.
    ///
    /// - Parameters:
    ///   - address: where to listen; port 0 lets the kernel choose
    ///   - socketMode: who may connect to a Unix socket; its group too by default, which is how a proxy reaches it
    ///   - limits: what a client may take
    ///   - bodyRule: called on the loop's thread once per head, so it must not block
    ///   - executor: runs the tasks of the handler; Swift's own pool unless given
    ///   - handler: called once per complete request in a task of its own; its answer is dropped when the client is gone
    package init(
        address: ListenAddress,
        socketMode: UInt32? = nil,
        limits: Limits = Limits(),
        bodyRule: @escaping @Sendable (Head) -> BodyRule,
        executor: (any TaskExecutor)? = nil,
        handler: @escaping @Sendable (Request) async -> Response
    ) throws(ServerError) {
        let listener = try Listener(address, socketMode: socketMode ?? Listener.groupMode)
        boundAddress = listener.address
        guard let mailbox = Mailbox() else {
            throw .failed(operation: "eventfd", address: address, code: errno)
        }
        self.mailbox = mailbox
        let loop = EventLoop(
            listener: listener,
            mailbox: mailbox,
            meter: meter,
            limits: limits.fitting(descriptors: descriptorLimit()),
            bodyRule: bodyRule,
            executor: executor,
            handler: handler
        )
        guard let loop else {
            throw .failed(operation: "epoll", address: address, code: errno)
        }
        // Retained here, released by the thread that runs it.
        let pointer = Unmanaged.passRetained(loop)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, runEventLoop, pointer.toOpaque())
        guard code == 0 else {
            pointer.release()
            throw .failed(operation: "pthread_create", address: address, code: code)
        }
        lifecycle = Mutex(.running(thread))
    }

    deinit { _ = stop(within: .zero) }

    /// Starts to take connections; those that came since the server was made are waiting.
    package func start() {
        mailbox.post(.start)
    }

    /// Takes no more connections or requests, lets those in flight finish, and ends the thread.
    ///
    /// A request is in flight from its first octet to the last of its answer, and as long as its handler runs. Clients
    /// get up to `Limits.lingerTime` of the time to read their last answer and close. Blocks the calling thread, so it must not
    /// be called on the cooperative pool, which the handlers need to finish. Another call returns the same.
    ///
    /// - Parameter time: how long requests in flight may take
    /// - Returns: whether all of them were answered
    @discardableResult
    package func stop(within time: Duration) -> Bool {
        lifecycle.withLock { lifecycle in
            switch lifecycle {
            case .stopped(let finished, _):
                return finished
            case .running(let thread):
                mailbox.post(.stop(within: time))
                var result: UnsafeMutableRawPointer?
                pthread_join(thread, &result)
                let end = EventLoop.End(bits: Int(bitPattern: result))
                lifecycle = .stopped(finished: end.isFinished, handlers: end.handlers)
                return end.isFinished
            }
        }
    }

    /// Waits for handlers that outlived a stop, whose answers nobody gets any more; whether all are over.
    ///
    /// Blocks the calling thread like ``stop(within:)``, which has to have returned.
    package func waitForHandlers(within time: Duration) -> Bool {
        let deadline = ContinuousClock.now + time
        return lifecycle.withLock { lifecycle in
            guard case .stopped(let finished, var handlers) = lifecycle else { return false }
            // Nobody else collects any more.
            while handlers > 0, mailbox.wait(until: deadline) {
                handlers -= mailbox.collect().count(where: \.isAnswer)
            }
            lifecycle = .stopped(finished: finished, handlers: handlers)
            return handlers <= 0
        }
    }
}

/// How many descriptors the process may have open.
private func descriptorLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
}

/// The body of the loop's thread, whose result is an `EventLoop.End`.
private func runEventLoop(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    // Signals are for the program's own threads: here they would only interrupt the wait.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_SETMASK, &signals, nil)
    let loop = Unmanaged<EventLoop>.fromOpaque(argument).takeRetainedValue()
    return UnsafeMutableRawPointer(bitPattern: loop.run().bits)
}
