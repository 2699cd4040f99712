import Glibc
import Synchronization

/// The one thread that owns the listener and all connections.
///
/// Made on the thread that makes the server and handed to the loop's thread, which is the only one to touch it from
/// then on; everything else goes through the mailbox.
final class EventLoop {
    private enum Tag {
        static let mailbox: UInt64 = 0
        static let listener: UInt64 = 1
        static let firstPeer: UInt64 = 2
    }

    private let limits: Limits
    private let bodyRule: @Sendable (Head) -> BodyRule
    private let executor: (any TaskExecutor)?
    private let handler: @Sendable (Request) async -> Response
    private let mailbox: Mailbox
    private let meter: LoadMeter

    private var poll: Poll
    private var listener: Listener?
    private var isAccepting = false
    private var acceptingResumes: ContinuousClock.Instant?
    private var peers: [UInt64: Peer] = [:]
    private var nextSerial = Tag.firstPeer
    private var requestsInFlight = 0 {
        didSet { meter.requestsInFlight.store(requestsInFlight, ordering: .relaxed) }
    }
    /// Of requests that are arriving and of those in flight.
    private var heldOctets = 0
    private var date = DateText()
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    private var stopDeadline: ContinuousClock.Instant?

    /// No connection's deadline is before this; later than the first of them only until the next scan.
    private var earliest: ContinuousClock.Instant?

    /// How a loop ended.
    struct End {
        /// Whether all requests in flight were answered.
        let isFinished: Bool
        /// How many handlers have still to post their answer.
        let handlers: Int

        init(isFinished: Bool, handlers: Int) {
            self.isFinished = isFinished
            self.handlers = handlers
        }

        /// As one number, since a thread's result is a word.
        var bits: Int { handlers << 1 | (isFinished ? 1 : 0) }

        init(bits: Int) {
            self.init(isFinished: bits & 1 == 1, handlers: bits >> 1)
        }
    }

    init?(
        listener: consuming Listener,
        mailbox: Mailbox,
        meter: LoadMeter,
        limits: Limits,
        bodyRule: @escaping @Sendable (Head) -> BodyRule,
        executor: (any TaskExecutor)?,
        handler: @escaping @Sendable (Request) async -> Response
    ) {
        guard let poll = Poll() else { return nil }
        let listening = listener.number
        self.poll = poll
        self.listener = consume listener
        self.mailbox = mailbox
        self.meter = meter
        self.limits = limits
        self.bodyRule = bodyRule
        self.executor = executor
        self.handler = handler
        guard self.poll.add(mailbox.number, tag: Tag.mailbox, interest: .newInput),
            self.poll.add(listening, tag: Tag.listener, interest: [])
        else {
            return nil
        }
    }

    /// Runs until it is told to stop.
    func run() -> End {
        while true {
            let now = ContinuousClock.now
            let wakeUp = sooner(earliest, sooner(acceptingResumes, stopDeadline))
            let events = poll.wait(for: wakeUp.map { now.duration(to: $0) })
            let moment = Moment(instant: .now, date: date.now())
            for event in events { handle(event, at: moment) }
            expire(at: moment)
            if let isFinished = isFinished(at: moment) {
                return End(isFinished: isFinished, handlers: requestsInFlight)
            }
        }
    }

    private func handle(_ event: Poll.Event, at moment: Moment) {
        switch event.tag {
        case Tag.mailbox:
            for message in mailbox.collect() { handle(message, at: moment) }
        case Tag.listener:
            accept(at: moment)
        default:
            guard let peer = peers[event.tag] else { return }
            if event.ready.contains(.input), let request = peer.receive(into: &buffer, at: moment) {
                call(request, for: peer, at: moment)
            }
            // Both directions are gone. A request that was complete is still handled; its answer has no reader.
            if !event.ready.isDisjoint(with: .broken) { peer.connection.close() }
            // Also of what came behind a complete request.
            giveWayIfLarge(peer, at: moment)
            settle(peer, at: moment)
        }
    }

    private func handle(_ message: Mailbox.Message, at moment: Moment) {
        switch message {
        case .start:
            setAccepting(true)
        case .answer(let serial, let octets, let response):
            requestsInFlight -= 1
            heldOctets -= octets
            guard let peer = peers[serial] else { return }
            peer.connection.answer(response, at: moment)
            settle(peer, at: moment)
        case .stop(let time):
            listener = nil
            isAccepting = false
            acceptingResumes = nil
            stopDeadline = moment.instant + time
            for peer in Array(peers.values) {
                peer.connection.stop()
                settle(peer, at: moment)
            }
        }
    }

    /// Does what a connection's new state asks for, until it waits for its client, its handler or its deadline.
    private func settle(_ peer: Peer, at moment: Moment) {
        while let request = peer.send(at: moment) { call(request, for: peer, at: moment) }
        account(peer)
        guard peer.connection.phase != .closed else {
            remove(peer)
            setAccepting(true)
            return
        }
        if peer.wanted != peer.interest {
            peer.interest = peer.wanted
            poll.change(peer.socket.number, tag: peer.serial, interest: peer.interest)
        }
        earliest = sooner(earliest, peer.connection.deadline)
        // At the cap an idle connection is as good as a closed one, and one that arrives may be before long, which
        // accepting finds out; out of descriptors neither is.
        let mayGiveWay = !peer.connection.isBusy || peer.connection.isArriving
        if mayGiveWay && acceptingResumes == nil { setAccepting(true) }
    }

    private func call(_ request: Request, for peer: Peer, at moment: Moment) {
        account(peer)
        let octets = request.heldOctets
        let fits = octets <= limits.smallRequestOctets || heldOctets + octets <= limits.requestOctets
        guard requestsInFlight < limits.requestsInFlight, fits else {
            meter.requestLimitHits.add(1, ordering: .relaxed)
            return peer.connection.decline(.overloaded, at: moment)
        }
        requestsInFlight += 1
        heldOctets += octets
        Task(executorPreference: executor) { [handler, mailbox, serial = peer.serial] in
            mailbox.post(.answer(connection: serial, octets: octets, await handler(request)))
        }
    }

    /// Brings the sum of what is held up to what this connection holds now.
    private func account(_ peer: Peer) {
        let octets = peer.connection.heldOctets
        heldOctets += octets - peer.countedOctets
        peer.countedOctets = octets
    }

    /// Has the connection that went past the limit on what is held bear the consequence, and no other.
    private func giveWayIfLarge(_ peer: Peer, at moment: Moment) {
        account(peer)
        guard heldOctets > limits.requestOctets, peer.countedOctets > limits.smallRequestOctets else { return }
        meter.requestLimitHits.add(1, ordering: .relaxed)
        peer.connection.giveWay(at: moment)
    }

    /// Scans the connections, but only once the earliest deadline known has come: a busy connection sets a new one
    /// several times a request, and keeping them sorted would cost more than the scan.
    private func expire(at moment: Moment) {
        if let resumes = acceptingResumes, moment.instant >= resumes { setAccepting(true) }
        guard let due = earliest, moment.instant >= due else { return }
        earliest = nil
        for peer in Array(peers.values) {
            peer.connection.expire(at: moment)
            settle(peer, at: moment)
        }
    }

    /// Whether all requests in flight were answered; nil while the loop goes on.
    private func isFinished(at moment: Moment) -> Bool? {
        guard let stopDeadline else { return nil }
        let isFinished = requestsInFlight == 0 && !peers.values.contains(where: \.connection.isBusy)
        // Those that linger get their time too: the reset that closing them could cause would destroy their answers.
        return moment.instant >= stopDeadline || (isFinished && peers.isEmpty) ? isFinished : nil
    }
}

// Accepting: bounded per turn, so that a flood of connections does not keep the loop from those it has.
extension EventLoop {
    private func accept(at moment: Moment) {
        for _ in 0..<64 {
            // Looked for before accepting: a connection that nothing gives way to stays in the kernel's queue.
            let least = peers.count >= limits.connections ? leastWorthy(at: moment.instant) : nil
            if peers.count >= limits.connections && least == nil {
                meter.connectionLimitHits.add(1, ordering: .relaxed)
                setAccepting(false)
                // One that is arriving now may be too slow soon; of all others the end is noticed.
                let isArriving = peers.values.contains(where: \.connection.isArriving)
                acceptingResumes = isArriving ? moment.instant + limits.acceptPause : nil
                return
            }
            guard let accepted = listener?.accept() else { return }
            switch consume accepted {
            case .socket(let socket):
                if let least {
                    meter.connectionLimitHits.add(1, ordering: .relaxed)
                    remove(least)
                }
                add(socket, at: moment)
            case .none:
                return
            case .gone:
                continue
            case .exhausted:
                meter.connectionLimitHits.add(1, ordering: .relaxed)
                // The waiting connection stays readable: without the pause this would be a busy loop.
                setAccepting(false)
                acceptingResumes = moment.instant + limits.acceptPause
                return
            }
        }
    }

    private func remove(_ peer: Peer) {
        peers[peer.serial] = nil
        meter.connections.store(peers.count, ordering: .relaxed)
        heldOctets -= peer.countedOctets
    }

    private func add(_ socket: consuming Socket, at moment: Moment) {
        let connection = Connection(limits: limits, bodyRule: bodyRule, at: moment)
        let peer = Peer(serial: nextSerial, socket: socket, connection: connection)
        nextSerial += 1
        guard poll.add(peer.socket.number, tag: peer.serial, interest: peer.interest) else { return }
        peers[peer.serial] = peer
        meter.connections.store(peers.count, ordering: .relaxed)
        earliest = sooner(earliest, connection.deadline)
    }

    private func setAccepting(_ accepts: Bool) {
        guard let listening = listener?.number else { return }
        if accepts { acceptingResumes = nil }
        guard accepts != isAccepting else { return }
        isAccepting = accepts
        poll.change(listening, tag: Tag.listener, interest: accepts ? .input : [])
    }

    /// The connection that a newcomer takes the place of: the longest idle one, or else the slowest to send.
    private func leastWorthy(at now: ContinuousClock.Instant) -> Peer? {
        peers.values.lazy.filter { $0.connection.givesWay(at: now) }.min { one, other in
            let (isBusy, isOtherBusy) = (one.connection.isBusy, other.connection.isBusy)
            return isBusy == isOtherBusy ? one.connection.since < other.connection.since : isOtherBusy
        }
    }
}
