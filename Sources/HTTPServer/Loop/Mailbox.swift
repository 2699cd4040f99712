import CLinux
import Glibc
import Synchronization

/// How tasks and other threads reach the loop: messages behind a lock, and an eventfd that wakes it.
///
/// A task that answers after the loop has ended holds the mailbox alive; its answer tells that it is over, and no more.
final class Mailbox: Sendable {
    /// What the loop can be told.
    enum Message: Sendable {
        case start
        case answer(connection: UInt64, octets: Int, Response)
        case stop(within: Duration)

        var isAnswer: Bool {
            if case .answer = self { true } else { false }
        }
    }

    private let messages = Mutex<[Message]>([])
    private let descriptor: Descriptor

    init?() {
        let flags = Int32(EFD_CLOEXEC | EFD_NONBLOCK)
        guard let descriptor = Descriptor(eventfd(0, flags)) else { return nil }
        self.descriptor = descriptor
    }

    /// Written to whenever there are messages after there were none, and read by nobody who only waits for that.
    var number: Int32 { descriptor.number }

    func post(_ message: Message) {
        let isFirst = messages.withLock { messages in
            defer { messages.append(message) }
            return messages.isEmpty
        }
        // Who collects the first collects those behind it.
        guard isFirst else { return }
        // Fails only when the counter is full, and then it is readable anyway.
        _ = eventfd_write(number, 1)
    }

    /// Waits for a message without a loop; false when none has come by then.
    func wait(until deadline: ContinuousClock.Instant) -> Bool {
        var events = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&events, 1, Poll.milliseconds(ContinuousClock.now.duration(to: deadline)))
            // -1 is EINTR here: the descriptor and its events are ours.
            guard count >= 0 else { continue }
            // Reset before messages are collected: one that comes in between costs a wake-up too many, never one too few.
            var written: eventfd_t = 0
            _ = eventfd_read(number, &written)
            return count > 0
        }
    }

    /// All messages since the last call, in order.
    func collect() -> [Message] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
