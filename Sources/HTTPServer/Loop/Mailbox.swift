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

    /// Readable while there are messages to collect.
    var number: Int32 { descriptor.number }

    func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        // Fails only when the counter is full, and then it is readable anyway.
        _ = eventfd_write(number, 1)
    }

    /// Waits for a message without a loop; false when none has come by then.
    func wait(until deadline: ContinuousClock.Instant) -> Bool {
        var events = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&events, 1, Poll.milliseconds(ContinuousClock.now.duration(to: deadline)))
            // -1 is EINTR here: the descriptor and its events are ours.
            if count >= 0 { return count > 0 }
        }
    }

    /// All messages since the last call, in order.
    func collect() -> [Message] {
        // Reset before the lock: a message that is posted in between costs a wake-up too many, never one too few.
        var count: eventfd_t = 0
        _ = eventfd_read(number, &count)
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
