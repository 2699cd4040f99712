import Dispatch
import Glibc
import Synchronization
package import Threads

/// The threads that requests are handled on, all of them there from the start.
///
/// Swift's own pool makes its threads when there is work and lets them go when there is none. Where a limit leaves no
/// thread to be had (`TasksMax`, `RLIMIT_NPROC`), it keeps whoever brings work until there is one, and that would be the
/// listener.
package final class Workers: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Starts the threads, which live as long as the process: one for each processor, and two at least.
    package init() throws(ThreadFailure) {
        for _ in 0..<min(max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))), 16) { try startThread { self.run() } }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        wakeUp.signal()
    }

    /// One thread's life.
    private func run() {
        while true {
            wakeUp.wait()
            guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
