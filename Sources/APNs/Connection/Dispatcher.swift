import CCurl
import Synchronization
import Threads

/// What the tasks that send and the threads that transfer share: the queue, and which generation may take from it.
final class Dispatcher: Sendable {
    private struct State {
        var queue: [Job] = []
        var isOpen = true
        var current: UInt64?
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
            return provideGeneration(&state)
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

    /// Wakes the current generation or starts one; when there is none to be had, all that waits is refused, since nobody
    /// would watch its time.
    private func provideGeneration(_ state: inout State) -> Refusal? {
        if let current = state.current, let waker = state.wakers[current] {
            waker.wake()
            return nil
        }
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

    /// Takes out what can no longer be sent in time, and says when the next of the others is due.
    func takeExpired(
        at now: ContinuousClock.Instant,
        for generation: UInt64
    ) -> (jobs: [Job], next: ContinuousClock.Instant?) {
        state.withLock { state in
            guard state.current == generation else { return ([], nil) }
            let expired = state.queue.filter { $0.deadline <= now }
            if !expired.isEmpty { state.queue.removeAll { $0.deadline <= now } }
            return (expired, state.queue.lazy.map(\.deadline).min())
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
            state.isOpen && state.current == nil && !state.queue.isEmpty ? provideGeneration(&state) : nil
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
