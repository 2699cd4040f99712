import CLinux
import Glibc

/// An epoll set, level-triggered; every descriptor in it carries a number that says what it is.
struct Poll: ~Copyable {
    private let descriptor: Descriptor
    private var buffer = [epoll_event](repeating: epoll_event(), count: 256)

    init?() {
        guard let descriptor = Descriptor(epoll_create1(Int32(EPOLL_CLOEXEC))) else { return nil }
        self.descriptor = descriptor
    }

    /// What a descriptor is watched for; that it broke is always reported.
    struct Interest: OptionSet {
        let rawValue: UInt32

        static let input = Interest(rawValue: EPOLLIN.rawValue)
        static let output = Interest(rawValue: EPOLLOUT.rawValue)
        /// Reports input that comes, and not again that it is still there.
        static let newInput = Interest(rawValue: EPOLLIN.rawValue | EPOLLET.rawValue)
        static let broken = Interest(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
    }

    /// What happened to a descriptor.
    struct Event {
        let tag: UInt64
        let ready: Interest
    }

    /// Returns false when the kernel has no room for another descriptor.
    func add(_ number: Int32, tag: UInt64, interest: Interest) -> Bool {
        control(EPOLL_CTL_ADD, number, tag, interest) == 0
    }

    func change(_ number: Int32, tag: UInt64, interest: Interest) {
        _ = control(EPOLL_CTL_MOD, number, tag, interest)
    }

    /// Waits for events, at most for `time`; for ever without one.
    mutating func wait(for time: Duration?) -> [Event] {
        let room = Int32(buffer.count)
        let count = epoll_wait(descriptor.number, &buffer, room, time.map(Self.milliseconds) ?? -1)
        // -1 is EINTR here: the descriptor and the buffer are ours.
        return buffer.prefix(max(0, Int(count))).map { Event(tag: $0.data.u64, ready: Interest(rawValue: $0.events)) }
    }

    /// Rounded up, so that nothing wakes just before its deadline and again and again until it.
    static func milliseconds(_ time: Duration) -> Int32 {
        guard time > .zero else { return 0 }
        guard time < .seconds(60 * 60) else { return 60 * 60 * 1_000 }
        let (seconds, attoseconds) = time.components
        return Int32(seconds) * 1_000 + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    private func control(_ operation: Int32, _ number: Int32, _ tag: UInt64, _ interest: Interest) -> Int32 {
        var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: tag))
        return epoll_ctl(descriptor.number, operation, number, &event)
    }
}
