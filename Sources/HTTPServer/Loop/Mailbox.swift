import CLinux
import Glibc
import Synchronization

/// How tasks and other threads reach the loop: messages behind a lock, and an eventfd that wakes it.
///
/// A task that answers after the loop has ended holds the mailbox alive and posts to nobody.
final class Mailbox: Sendable {
    /// What the loop can be told.
    enum Message: Sendable {
        case start
        case answer(connection: UInt64, Response)
        case stop(within: Duration)
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
