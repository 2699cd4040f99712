import CCurl
import Synchronization

/// What passes from the tasks that send to the thread that transfers: a bounded queue and the means to wake the thread.
final class Mailbox: Sendable {
    private struct State {
        var jobs: [Job] = []
        var isOpen = true
        var waker: Waker?
    }

    private let state = Mutex(State())
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Queues a job, or returns the outcome that it has to be refused with.
    func post(_ job: Job) -> Outcome? {
        state.withLock { state in
            guard state.isOpen else { return .tryAgain(.stopping) }
            guard state.jobs.count < capacity else { return .tryAgain(.overloaded) }
            state.jobs.append(job)
            state.waker?.wake()
            return nil
        }
    }

    func close() {
        state.withLock { state in
            state.isOpen = false
            state.waker?.wake()
        }
    }

    /// Up to `count` of the oldest jobs, and whether more can come.
    func take(_ count: Int) -> (jobs: [Job], isOpen: Bool) {
        state.withLock { state in
            let jobs = Array(state.jobs.prefix(count))
            state.jobs.removeFirst(jobs.count)
            return (jobs, state.isOpen)
        }
    }

    /// Takes out what can no longer be sent in time.
    func takeExpired(at now: ContinuousClock.Instant) -> [Job] {
        state.withLock { state in
            // All jobs are given the same time, so the oldest stand in front.
            let expired = Array(state.jobs.prefix { $0.deadline <= now })
            state.jobs.removeFirst(expired.count)
            return expired
        }
    }

    /// When the oldest job that waits runs out of time.
    var nextDeadline: ContinuousClock.Instant? {
        state.withLock { $0.jobs.first?.deadline }
    }

    /// Says whom to wake; nil before the multi handle is freed, so that nobody wakes a freed one.
    func setWaker(_ waker: Waker?) {
        state.withLock { $0.waker = waker }
    }
}

/// A multi handle, for waking it and nothing else.
///
/// `curl_multi_wakeup` is the one function that libcurl allows from any thread ("can be called from any thread"), and it
/// is only called under the mailbox's lock while the thread that owns the handle has it set there.
struct Waker: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer
    func wake() { curl_multi_wakeup(multi) }
}
