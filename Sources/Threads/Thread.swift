import Glibc

/// Runs `body` on a thread of its own, which ends with it and on which no signal is handled.
///
/// For what waits in C, or has to be there whatever becomes of the pools of Swift and libdispatch: those make their threads
/// when there is work, and keep whoever brings it until there is one.
package func startThread(_ body: sending @escaping () -> Void) throws(ThreadFailure) {
    let context = Unmanaged.passRetained(Body(run: body))
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, runBody, context.toOpaque())
    guard code == 0 else {
        context.release()
        throw ThreadFailure(code: code)
    }
    pthread_detach(thread)
}

/// No thread was to be had; `code` is the errno of making it.
package struct ThreadFailure: Error {
    package let code: Int32
}

private final class Body {
    let run: () -> Void

    init(run: @escaping () -> Void) {
        self.run = run
    }
}

/// The thread's first function: it takes over the reference that was retained for it.
private func runBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    // Signals are for the program's own threads.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_SETMASK, &signals, nil)
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
