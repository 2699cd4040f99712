/// One connection as a state machine over octets and instants; it does no input or output itself.
///
/// Whoever owns the socket passes in what arrived, sends `output`, reports what was sent, and calls `expire` when
/// `deadline` has come. A method that returns a request expects exactly one `answer` for it, and the connection hands
/// out no other request before that answer is sent.
struct Connection: Sendable {
    /// What the connection is doing.
    enum Phase: Sendable, Equatable {
        /// Between requests, or before the first.
        case idle
        case head
        case body
        /// A handler has the request.
        case waiting
        case answering
        /// The last answer is sent; what still arrives is dropped until the client closes.
        case lingering
        case closed
    }

    private(set) var phase = Phase.idle

    /// When the phase began.
    private(set) var since: ContinuousClock.Instant

    /// When the phase has lasted too long.
    private(set) var deadline: ContinuousClock.Instant

    /// What is to be sent.
    private(set) var output: ArraySlice<UInt8> = []

    private let limits: Limits
    private let bodyRule: @Sendable (Head) -> BodyRule
    private var parser: RequestParser
    private var input: ArraySlice<UInt8> = []
    private var inputEnded = false
    private var isStopping = false
    /// Whether nothing is read any more before the last answer.
    private var isDeaf = false
    private var isHead = false
    private var closes = false
    private var hasServed = false
    private var lingered = 0

    init(limits: Limits, bodyRule: @escaping @Sendable (Head) -> BodyRule, at moment: Moment) {
        self.limits = limits
        self.bodyRule = bodyRule
        parser = RequestParser(limits: limits, bodyRule: bodyRule)
        since = moment.instant
        deadline = moment.instant + limits.headTime
    }

    /// Whether a request has begun to arrive and its answer is not yet sent.
    var isBusy: Bool {
        switch phase {
        case .head, .body, .waiting, .answering: true
        case .idle, .lingering, .closed: false
        }
    }

    /// Whether a head or a body is on its way, or the first octet after the connection was accepted.
    var isArriving: Bool {
        switch phase {
        case .idle: !hasServed
        case .head, .body: true
        case .waiting, .answering, .lingering, .closed: false
        }
    }

    /// Whether the connection is worth less than the next one: nothing is owed to its client, who at most takes its time.
    ///
    /// A newcomer has that time before its first octet is read as well, or those that come at once would take each
    /// other's places and none be served.
    func givesWay(at now: ContinuousClock.Instant) -> Bool {
        isArriving ? now - since >= limits.arrivalTimeAtCap : !isBusy
    }

    /// Octets kept of requests that are not handed out: an account of what they take, not exact to the last one.
    var heldOctets: Int { input.count + parser.heldOctets }

    /// Whether the socket is worth reading: never more is kept than `Limits.pipelinedOctets` and one read.
    var wantsInput: Bool {
        switch phase {
        case .idle, .head, .body, .lingering: !inputEnded
        case .waiting, .answering: !inputEnded && !isDeaf && input.count < limits.pipelinedOctets
        case .closed: false
        }
    }

    /// Takes what arrived; returns a request when it is complete.
    mutating func receive(_ octets: ArraySlice<UInt8>, at moment: Moment) -> Request? {
        switch phase {
        case .closed:
            return nil
        case .lingering:
            lingered += octets.count
            if lingered > limits.lingerOctets { close() }
            return nil
        case .waiting, .answering:
            input += octets
            return nil
        case .idle, .head, .body:
            if input.isEmpty { input = octets } else { input += octets }
            return parse(at: moment)
        }
    }

    /// The client sends no more, but may still read: a complete request is answered, a part of one is dropped.
    mutating func receiveEnd() {
        inputEnded = true
        if phase != .waiting && phase != .answering { close() }
    }

    /// The connection broke, or gives way to another.
    mutating func close() {
        phase = .closed
        output = []
        forgetInput()
    }

    /// Takes the handler's answer; one that comes too late is dropped.
    mutating func answer(_ response: Response, at moment: Moment) {
        guard phase == .waiting else { return }
        hasServed = true
        closes = closes || isStopping
        output += response.octets(date: moment.date, isHead: isHead, closes: closes)
        enter(.answering, for: limits.answerTime, at: moment)
    }

    /// Answers the request that was handed out last in the handler's place, and closes.
    mutating func decline(_ refusal: Refusal, at moment: Moment) {
        guard phase == .waiting else { return }
        refuse(refusal, isHead: isHead, at: moment)
    }

    /// Lets go of what was not handed out: an arriving request is answered 503, one that waits behind another is
    /// dropped and the connection closed after the answer to the other, so that the client sends it again.
    mutating func giveWay(at moment: Moment) {
        switch phase {
        case .head, .body: refuse(.overloaded, isHead: parser.isHead, at: moment)
        case .waiting, .answering:
            closes = true
            isDeaf = true
            forgetInput()
        case .idle, .lingering, .closed: break
        }
    }

    /// Takes note that the first `count` octets of `output` are sent; returns the next request when it is there.
    mutating func sent(_ count: Int, at moment: Moment) -> Request? {
        output.removeFirst(min(count, output.count))
        guard output.isEmpty else { return nil }
        // An empty slice of an array still holds all of the array.
        output = []
        guard phase == .answering else { return nil }
        if closes || isStopping {
            forgetInput()
            enter(.lingering, for: limits.lingerTime, at: moment)
            if inputEnded { close() }
            return nil
        }
        enter(.idle, for: limits.idleTime, at: moment)
        return parse(at: moment)
    }

    /// Acts on the deadline if it has come.
    mutating func expire(at moment: Moment) {
        guard moment.instant >= deadline else { return }
        switch phase {
        case .head, .body: refuse(.requestTimeout, isHead: parser.isHead, at: moment)
        case .waiting: refuse(.handlerTimeout, isHead: isHead, at: moment)
        case .idle, .answering, .lingering, .closed: close()
        }
    }

    /// Takes no new request; one that has begun to arrive is still served.
    mutating func stop() {
        isStopping = true
        if phase == .idle { close() }
    }

    private mutating func parse(at moment: Moment) -> Request? {
        do throws(Refusal) {
            // What is left is copied, since a slice of what was read would hold all of it.
            defer { input = ArraySlice(Array(input)) }
            if let parsed = try parser.consume(&input) {
                isHead = parsed.request.head.method == "HEAD"
                closes = !parsed.isPersistent
                enter(.waiting, for: limits.handlerTime, at: moment)
                return parsed.request
            }
        } catch {
            refuse(error, isHead: parser.isHead, at: moment)
            return nil
        }
        if inputEnded {
            close()
            return nil
        }
        if parser.takeExpectation() { output += Response.goOn }
        switch parser.progress {
        case .untouched: break
        case .head: if phase != .head { enter(.head, for: limits.headTime, at: moment) }
        case .body: if phase != .body { enter(.body, for: limits.bodyTime, at: moment) }
        }
        return nil
    }

    private mutating func refuse(_ refusal: Refusal, isHead: Bool, at moment: Moment) {
        closes = true
        forgetInput()
        output += refusal.response.octets(date: moment.date, isHead: isHead, closes: true)
        enter(.answering, for: limits.answerTime, at: moment)
    }

    /// For a connection that takes no other request.
    private mutating func forgetInput() {
        input = []
        parser = RequestParser(limits: limits, bodyRule: bodyRule)
    }

    private mutating func enter(_ phase: Phase, for time: Duration, at moment: Moment) {
        self.phase = phase
        since = moment.instant
        deadline = moment.instant + time
    }
}
