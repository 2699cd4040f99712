import Dispatch

/// Runs an actor on a queue of its own, so that a slow disk holds up no thread of Swift's pool, which has one per core.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// Makes a serial queue; `label` is what a debugger shows.
    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
