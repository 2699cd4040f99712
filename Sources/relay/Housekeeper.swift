import Dispatch
import Threads

/// A thread that does once a minute what has to be done whether or not anybody asks.
struct Housekeeper {
    private let wakeUp = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)

    /// Starts the thread; the work may block, and gets true the first time.
    init(every interval: DispatchTimeInterval = .seconds(60), _ work: @escaping @Sendable (Bool) -> Void)
        throws(ThreadFailure)
    {
        let (wakeUp, done) = (wakeUp, done)
        try startThread {
            var isFirst = true
            // The first pushes and questions after a restart come before a backup of the whole database.
            var pause = DispatchTimeInterval.seconds(1)
            while wakeUp.wait(timeout: .now() + pause) == .timedOut {
                work(isFirst)
                (isFirst, pause) = (false, interval)
            }
            done.signal()
        }
    }

    /// Has the thread end when its work is done, and waits for that a moment.
    func stop() {
        wakeUp.signal()
        _ = done.wait(timeout: .now() + .seconds(1))
    }
}
