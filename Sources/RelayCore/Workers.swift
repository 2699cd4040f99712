import Dispatch
import Glibc
import Synchronization

/// The threads that requests are handled on, all of them there from the start.
///
/// Swift's own pool makes its threads when there is work and lets them go when there is none. Where a limit leaves no
/// thread to be had (`TasksMax`, `RLIMIT_NPROC`), it keeps whoever brings work until there is one, and that would be the
/// listener.
package final class Workers: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let wakeUp = DispatchSemaphore(value: 0)

    /// The errno of making a thread.
    package struct Failure: Error {
        package let code: Int32
    }

    /// Starts the threads, which live as long as the process: one for each processor, and two at least.
    package init() throws(Failure) {
        for _ in 0..<min(max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))), 16) {
            let context = Unmanaged.passRetained(self)
            var thread = pthread_t()
            let code = pthread_create(&thread, nil, runWorker, context.toOpaque())
            guard code == 0 else {
                context.release()
                throw Failure(code: code)
            }
            pthread_detach(thread)
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        wakeUp.signal()
    }

    /// One thread's life.
    fileprivate func run() {
        while true {
            wakeUp.wait()
            guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// A thread's first function: it takes over the reference that `init` retained.
private func runWorker(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    // Signals are for the program's own threads.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_SETMASK, &signals, nil)
    Unmanaged<Workers>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
