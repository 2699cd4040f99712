import Dispatch
import Glibc
import RelayCore
import Synchronization

/// Makes the process safe before anything else happens in it.
func prepareProcess() {
    // The database, its log and its backups are nobody else's.
    umask(0o077)
    // A client that hangs up, and a file that hits a limit, are errors to handle; by default either kills the process.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    raiseDescriptorLimit()
}

/// The signals that the relay acts on, on the one thread that waits for them.
enum Signals {
    case stop(name: String)
    /// Read the provider key again.
    case reload

    static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, signal) }
        return set
    }

    /// Keeps them from this thread and from every thread that it makes, so that they wait for ``next()``.
    static func block() {
        var blocked = Self.set
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
    }

    /// Waits for the next one, on a thread that has them blocked.
    static func next() -> Signals {
        var set = Self.set
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
        switch signal {
        case SIGHUP: return .reload
        case SIGINT: return .stop(name: "SIGINT")
        default: return .stop(name: "SIGTERM")
        }
    }
}

extension Signals {
    /// From now on another signal to stop ends the process where it stands, with 128 and the signal's number.
    ///
    /// The database outlives that as it outlives a power cut. A handler and no thread that waits: there may be none to be
    /// had. Not the signal's default, which does nothing to the first process of a container.
    static func endAtOnce() {
        var stops = sigset_t()
        sigemptyset(&stops)
        for number in [SIGTERM, SIGINT] {
            signal(number, exitAtOnce)
            sigaddset(&stops, number)
        }
        pthread_sigmask(SIG_UNBLOCK, &stops, nil)
    }
}

private func exitAtOnce(_ signal: Int32) {
    // The only way out that a signal handler may take: no destructor, no buffer, no lock.
    _exit(128 + signal)
}

/// Raises the soft limit on descriptors to 4,096, or to the hard limit where that is less.
///
/// A service often starts with 1,024, which is as many connections as the listener alone may hold.
private func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < 4_096 else { return }
    limit.rlim_cur = min(4_096, limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// Runs asynchronous work from a plain thread and waits for its result; never to be called on a thread that runs tasks.
func waiting<Value: Sendable>(
    on workers: Workers,
    for work: @escaping @Sendable () async -> Value?
) -> Value? {
    let result = Mutex<Value?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task.detached(executorPreference: workers) {
        let value = await work()
        result.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    return result.withLock { $0 }
}
