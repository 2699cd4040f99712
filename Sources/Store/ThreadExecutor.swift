import Dispatch
import Glibc
import Synchronization
import Threads

/// Runs an actor on a thread of its own, which is there from the start.
///
/// So a slow disk holds up no thread that others need, and a machine that has no further thread to give holds up nobody
/// here: a queue of libdispatch makes its thread when there is work, and keeps whoever brings the work until there is one.
final class ThreadExecutor: SerialExecutor {
    private let work: Work

    init() throws(ThreadFailure) {
        let work = Work()
        try startThread { work.run() }
        self.work = work
    }

    deinit { work.end() }

    func enqueue(_ job: consuming ExecutorJob) {
        work.add(UnownedJob(job), for: self)
    }

    func checkIsolated() {
        precondition(work.isOnItsThread, "the store is used on another thread than its own")
    }
}

/// What a thread has to do; it outlives the executor for as long as the thread takes to see its end.
private final class Work: Sendable {
    /// A job, and the executor that it keeps alive.
    private struct Item {
        let job: UnownedJob
        let executor: ThreadExecutor
    }

    private struct State {
        var items: [Item] = []
        var isOver = false
    }

    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)
    private let thread = Mutex<pthread_t?>(nil)

    var isOnItsThread: Bool { thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } } ?? false }

    func add(_ job: UnownedJob, for executor: ThreadExecutor) {
        state.withLock { $0.items.append(Item(job: job, executor: executor)) }
        wakeUp.signal()
    }

    /// Ends the thread; nothing can be waiting, since that would keep the executor.
    func end() {
        state.withLock { $0.isOver = true }
        wakeUp.signal()
    }

    func run() {
        thread.withLock { $0 = pthread_self() }
        while true {
            wakeUp.wait()
            let (items, isOver) = state.withLock { state in
                defer { state.items = [] }
                return (state.items, state.isOver)
            }
            for item in items { item.job.runSynchronously(on: item.executor.asUnownedSerialExecutor()) }
            if isOver { return }
        }
    }
}
