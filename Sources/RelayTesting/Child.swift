import Foundation
import Glibc
import Synchronization

/// A process that this one has started, on pipes and with nothing else of this one.
///
/// Not Foundation's `Process`. That looks up what is open by copying records of a directory whole, past the end of the
/// memory that the last one is in: with a thousand descriptors the tests crash. And two that begin at once inherit each
/// other's pipes, so that the end of one is not seen before the end of the other.
final class Child: Sendable {
    /// A call of the system that failed, with its errno.
    struct Failure: Error {
        let operation: String
        let code: Int32
    }

    let identifier: pid_t
    /// The ends that are this process's; whoever takes them over closes them.
    let input: Int32, output: Int32, errors: Int32
    /// The exit code once it has been collected: from then on the number may be another process's.
    private let code = Mutex<Int32?>(nil)

    /// Starts a program, in a process group of its own and with no signal blocked, as a shell does.
    ///
    /// It would have the mask of the thread that starts it, and threads of a pool block nearly all signals.
    init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        let pipes = try (0..<3).map { _ in try Self.pipe() }
        let (theirs, ours) = (
            [pipes[0].read, pipes[1].write, pipes[2].write], [pipes[0].write, pipes[1].read, pipes[2].read]
        )
        defer { for descriptor in theirs { close(descriptor) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in theirs.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        guard let closeFrom = Self.closeFrom, closeFrom(&actions, 3) == 0 else {
            throw Failure(operation: "close what a program would inherit", code: ENOSYS)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var identifier: pid_t = 0
        let status = posix_spawn(&identifier, path, &actions, &attributes, words, variables)
        guard status == 0 else {
            for descriptor in ours { close(descriptor) }
            throw Failure(operation: "start \(path)", code: status)
        }
        self.identifier = identifier
        (input, output, errors) = (ours[0], ours[1], ours[2])
    }

    /// `posix_spawn_file_actions_addclosefrom_np`, which is in glibc since 2.34 and not in Swift's Glibc.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast(
            $0,
            to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self
        )
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw Failure(operation: "make a pipe", code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Sends a signal, unless it has ended.
    func signal(_ signal: Int32) {
        code.withLock { if $0 == nil { kill(identifier, signal) } }
    }

    /// Whether it has ended.
    var hasEnded: Bool { collect() != nil }

    /// Waits on this thread for its end: the exit code, or 128 and the number of the signal that ended it.
    func wait() -> Int32 {
        // Without collecting it, so that it can be sent a signal meanwhile.
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return collect() ?? -1
    }

    private func collect() -> Int32? {
        code.withLock { code in
            var status: Int32 = 0
            if code == nil, waitpid(identifier, &status, WNOHANG) == identifier {
                code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
            }
            return code
        }
    }
}
