import CCurl
import Synchronization
import Threads

/// What the tasks that send and the threads that transfer share: the queue, and which generation may take from it.
final class Dispatcher: Sendable {
    /// What a generation waits for.
    struct Sleep {
        /// Whether it could send another job at once.
        let hasRoom: Bool
        /// When the first of the jobs that wait runs out of time.
        let end: ContinuousClock.Instant?

        /// Whether a job that is due then is more than can be left for later.
        func isEnded(by deadline: ContinuousClock.Instant) -> Bool { hasRoom || end.map { deadline < $0 } ?? true }
    }

    private struct State {
        var queue: [Job] = []
        var isOpen = true
        var current: UInt64?
        /// Of the current generation; nil while it is at work, after which it looks at the queue by itself.
        var sleep: Sleep?
        var lastGeneration: UInt64 = 0
        /// The generations whose threads run, the current one among them.
        var wakers: [UInt64: Waker] = [:]
        var backoff = Backoff()
        var notBefore = ContinuousClock.now
    }

    let configuration: Client.Configuration
    let token: ProviderToken
    let budget = ConnectBudget()
    private let report: @Sendable (ConnectionReport) -> Void
    /// See ``Client/init(configuration:token:report:count:)``.
    let count: @Sendable (CountedAnswer, Duration?) -> Void
    /// Of all generations.
    let inFlight = Atomic<Int>(0)
    let connectionsOpened = Atomic<Int>(0)
    private let state = Mutex(State())

    init(
        configuration: Client.Configuration,
        token: ProviderToken,
        report: @escaping @Sendable (ConnectionReport) -> Void,
        count: @escaping @Sendable (CountedAnswer, Duration?) -> Void
    ) {
        self.configuration = configuration
        self.token = token
        self.report = report
        self.count = count
    }

    var traffic: Client.Traffic {
        Client.Traffic(
            queued: state.withLock(\.queue.count),
            inFlight: inFlight.load(ordering: .relaxed),
            connectionsOpened: connectionsOpened.load(ordering: .relaxed)
        )
    }

    /// Queues a job, or answers it at once with why it cannot be.
    func post(_ job: Job) {
        add(job, limit: configuration.longestQueue) { $0.append(job) }
    }

    /// Puts a job that gets another try in front of all that wait; it has waited longest.
    func requeue(_ job: Job) {
        add(job, limit: .max) { $0.insert(job, at: 0) }
    }

    private func add(_ job: Job, limit: Int, _ insert: (inout [Job]) -> Void) {
        let refusal = state.withLock { state -> Refusal? in
            guard state.isOpen else { return Refusal(jobs: [job], cause: .stopping) }
            guard state.queue.count < limit else { return Refusal(jobs: [job], cause: .overloaded) }
            insert(&state.queue)
            return wakeGeneration(&state, for: job) ? nil : startGeneration(&state)
        }
        refusal?.resume()
    }

    /// Jobs that cannot be sent, to be told so when the lock is free.
    private struct Refusal {
        let jobs: [Job]
        let cause: Outcome.Cause

        func resume() {
            for job in jobs { job.continuation.resume(returning: .tryAgain(cause)) }
        }
    }

    /// Wakes the current generation if it sleeps and has to see the job now; false when there is no generation.
    private func wakeGeneration(_ state: inout State, for job: Job) -> Bool {
        guard let current = state.current, let waker = state.wakers[current] else { return false }
        if let sleep = state.sleep, sleep.isEnded(by: job.deadline) {
            state.sleep = nil
            waker.wake()
        }
        return true
    }

    /// Starts a generation; when there is none to be had, all that waits is refused, since nobody would watch its time.
    private func startGeneration(_ state: inout State) -> Refusal? {
        let number = state.lastGeneration + 1
        guard let generation = Generation(number: number, of: self, notBefore: state.notBefore) else {
            defer { state.queue = [] }
            return Refusal(jobs: state.queue, cause: .overloaded)
        }
        let waker = generation.waker
        do throws(ThreadFailure) {
            try startThread { generation.run() }
        } catch {
            defer { state.queue = [] }
            return Refusal(jobs: state.queue, cause: .noThread)
        }
        state.lastGeneration = number
        state.current = number
        state.sleep = nil
        state.wakers[number] = waker
        return nil
    }
}

// What a generation asks of it.
extension Dispatcher {
    /// Up to `count` jobs in order; none for a generation that has been replaced.
    func take(_ count: Int, for generation: UInt64) -> [Job] {
        state.withLock { state in
            guard state.current == generation, state.isOpen, count > 0 else { return [] }
            let jobs = Array(state.queue.prefix(count))
            state.queue.removeFirst(jobs.count)
            return jobs
        }
    }

    /// Takes out what can no longer be sent in time, and lets the generation sleep until something is posted.
    ///
    /// - Parameter hasRoom: whether it could send another job at once.
    /// - Returns: no sleep when one waits that it could send.
    func takeExpired(
        at now: ContinuousClock.Instant,
        for generation: UInt64,
        hasRoom: Bool
    ) -> (jobs: [Job], sleep: Sleep?) {
        state.withLock { state in
            guard state.current == generation else { return ([], Sleep(hasRoom: false, end: nil)) }
            var expired: [Job] = []
            var end = state.queue.lazy.map(\.deadline).min()
            if let first = end, first <= now {
                expired = state.queue.filter { $0.deadline <= now }
                state.queue.removeAll { $0.deadline <= now }
                end = state.queue.lazy.map(\.deadline).min()
            }
            state.sleep = hasRoom && end != nil ? nil : Sleep(hasRoom: hasRoom, end: end)
            return (expired, state.sleep)
        }
    }

    var isOpen: Bool { state.withLock(\.isOpen) }

    func isCurrent(_ generation: UInt64) -> Bool { state.withLock { $0.current == generation } }

    /// Has the next generation take over; what waits goes to it, after the time that a failure makes it wait.
    func retire(_ generation: UInt64, afterSuccess hasSucceeded: Bool, because cause: ConnectionReport) {
        let isNews = state.withLock { state in
            guard state.current == generation else { return false }
            state.current = nil
            let wait = state.backoff.wait(afterSuccess: hasSucceeded, random: .random(in: 0...1))
            state.notBefore = .now + wait
            return true
        }
        guard isNews else { return }
        report(cause)
        let refusal = state.withLock { state in
            state.isOpen && state.current == nil && !state.queue.isEmpty ? startGeneration(&state) : nil
        }
        refusal?.resume()
    }

    /// Retires whatever generation is current.
    func retire(because cause: ConnectionReport) {
        guard let current = state.withLock(\.current) else { return }
        retire(current, afterSuccess: true, because: cause)
    }

    /// To be called by a generation's thread before its multi handle is freed, so that nobody wakes a freed one.
    func forget(_ generation: UInt64) {
        state.withLock { _ = $0.wakers.removeValue(forKey: generation) }
    }

    /// Ends everything: every job that was ever posted has an outcome soon after.
    func close() {
        let refusal = state.withLock { state in
            state.isOpen = false
            state.current = nil
            for waker in state.wakers.values { waker.wake() }
            defer { state.queue = [] }
            return Refusal(jobs: state.queue, cause: .stopping)
        }
        refusal.resume()
    }
}

/// A multi handle, for waking it and nothing else.
///
/// `curl_multi_wakeup` is the one function that libcurl allows from any thread ("can be called from any thread"), and it
/// is only called under the dispatcher's lock, which a generation takes to have its waker forgotten before it goes.
struct Waker: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer
    func wake() { curl_multi_wakeup(multi) }
}
