import CCurl
import Synchronization

/// One connection's life: the thread that owns a multi handle of libcurl and everything in it.
///
/// Jobs wait in the dispatcher and not inside libcurl, where a waiting handle runs down its own time and fails with a
/// misleading text. At most one connection is open, because libcurl 7.88.1 would otherwise open one for each job of a
/// burst.
final class Generation {
    private let number: UInt64
    private let dispatcher: Dispatcher
    private let multi: UnsafeMutableRawPointer
    private let notBefore: ContinuousClock.Instant
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    private var handles: HandlePool
    private let sockets = Sockets()
    private var gate: StreamGate
    private var health: Health
    private var idleSince: ContinuousClock.Instant
    private var bornAt: ContinuousClock.Instant?
    private var drainsUntil: ContinuousClock.Instant?
    /// Whether the last connection that libcurl wanted was not to be had.
    private var isOverBudget = false

    /// What is under way on a connection that has been replaced gets this long.
    private static let drainTime = Duration.seconds(10)
    /// After this long without a request the peer, or something on the way to it, may have dropped the connection.
    private static let doubtfulIdleTime = Duration.seconds(10)
    private static let longestLife = Duration.seconds(86_400)
    private static let isInitialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Nil when there is no memory.
    ///
    /// - Parameter notBefore: when a connection may be opened; until then jobs only wait and run out of time.
    init?(number: UInt64, of dispatcher: Dispatcher, notBefore: ContinuousClock.Instant) {
        guard Self.isInitialised, let multi = curl_multi_init() else { return nil }
        self.number = number
        self.dispatcher = dispatcher
        self.multi = multi
        self.notBefore = notBefore
        handles = HandlePool(dispatcher.configuration, sockets)
        gate = StreamGate(most: dispatcher.configuration.mostInFlight)
        health = Health(at: .now, patience: dispatcher.configuration.patience)
        idleSince = .now
        sockets.mayOpen = { [unowned self] in mayConnect() }
        relay_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        relay_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1)
        relay_curl_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, dispatcher.configuration.mostInFlight)
    }

    deinit {
        curl_multi_cleanup(multi)
    }

    var waker: Waker { Waker(multi: multi) }

    /// Whether libcurl may open a connection now; called from within it, on this thread.
    private func mayConnect() -> Bool {
        gate.close()
        isOverBudget = !dispatcher.budget.spend(at: .now)
        if !isOverBudget { dispatcher.connectionsOpened.add(1, ordering: .relaxed) }
        return !isOverBudget
    }

    /// Runs until the dispatcher is closed, or until another generation has taken over and nothing is under way here.
    func run() {
        while dispatcher.isOpen {
            startWhatMay()
            sockets.sendingTogether {
                var running: Int32 = 0
                curl_multi_perform(multi, &running)
            }
            collect()
            retireIfDue()
            let sleep = expireWaiting()
            if let drainsUntil, transfers.isEmpty || .now >= drainsUntil { break }
            if let sleep { curl_multi_poll(multi, nil, 0, milliseconds(until: sleep.end), nil) }
        }
        dispatcher.forget(number)
        dispatcher.inFlight.subtract(transfers.count, ordering: .relaxed)
        // Only after a close, or when draining took too long, is there anything left.
        let isOpen = dispatcher.isOpen
        let outcome: Outcome = isOpen ? .tryAgain(.transport(.deadline(waiting: false))) : .tryAgain(.stopping)
        for (easy, transfer) in transfers {
            if isOpen { dispatcher.count(CountedAnswer(.timeout), nil) }
            curl_multi_remove_handle(multi, easy)
            transfer.job.continuation.resume(returning: outcome)
        }
    }

    private func startWhatMay() {
        let now = ContinuousClock.now
        guard maySend(at: now) else { return }
        if transfers.isEmpty, now - idleSince >= Self.doubtfulIdleTime { gate.close() }
        for job in dispatcher.take(gate.limit - transfers.count, for: number) { start(job, at: now) }
    }

    private func maySend(at now: ContinuousClock.Instant) -> Bool { drainsUntil == nil && now >= notBefore }

    private func start(_ job: Job, at now: ContinuousClock.Instant) {
        if transfers.isEmpty { health.resumed(at: now) }
        if bornAt == nil { bornAt = now }
        guard let bearer = try? dispatcher.token.value() else {
            dispatcher.count(CountedAnswer(.unsigned), nil)
            return job.continuation.resume(returning: .tryAgain(.transport(.unsigned)))
        }
        guard
            let transfer = handles.transfer(of: job, bearer: bearer, at: now),
            curl_multi_add_handle(multi, transfer.easy) == CURLM_OK
        else {
            dispatcher.count(CountedAnswer(.connection), nil)
            let failure = TransportFailure.failed(code: Int(CURLE_OUT_OF_MEMORY.rawValue), text: "out of memory")
            return job.continuation.resume(returning: .tryAgain(.transport(failure)))
        }
        transfers[transfer.easy] = transfer
        dispatcher.inFlight.add(1, ordering: .relaxed)
    }

    /// Settles what has finished.
    private func collect() {
        var hasFinished = false
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let code = relay_curl_result(message)
            curl_multi_remove_handle(multi, easy)
            guard let transfer = transfers.removeValue(forKey: easy) else { continue }
            dispatcher.inFlight.subtract(1, ordering: .relaxed)
            settle(transfer, code)
            handles.takeBack(transfer, hasFailed: code != CURLE_OK)
            hasFinished = true
        }
        if hasFinished, transfers.isEmpty { idleSince = .now }
    }

    private func retireIfDue() {
        guard drainsUntil == nil else { return }
        let now = ContinuousClock.now
        if !dispatcher.isCurrent(number) {
            drain()
        } else if !transfers.isEmpty, health.isSilent(at: now) {
            retire(.silent(for: dispatcher.configuration.patience))
        } else if let bornAt, now - bornAt >= Self.longestLife {
            retire(.old)
        }
    }

    /// Answers what has waited for too long; nil when there is more to be sent at once.
    private func expireWaiting() -> Dispatcher.Sleep? {
        let now = ContinuousClock.now
        let hasRoom = maySend(at: now) && transfers.count < gate.limit
        let (expired, sleep) = dispatcher.takeExpired(at: now, for: number, hasRoom: hasRoom)
        for job in expired {
            dispatcher.count(CountedAnswer(.queue), nil)
            job.continuation.resume(returning: .tryAgain(.transport(.deadline(waiting: true))))
        }
        return sleep
    }

    /// The time to sleep: until the next job runs out of time, at most a quarter of a second while anything is going on.
    private func milliseconds(until next: ContinuousClock.Instant?) -> Int32 {
        let now = ContinuousClock.now
        let mustWatch = !transfers.isEmpty || next != nil
        var wait: Duration = mustWatch ? .milliseconds(250) : .seconds(60)
        if let next { wait = min(wait, next - now) }
        if now < notBefore { wait = min(wait, notBefore - now) }
        return Int32(max(1, (wait / .milliseconds(1)).rounded(.up)))
    }
}

// What an answer, or the lack of one, means for the job and for the connection.
extension Generation {
    private func settle(_ transfer: Transfer, _ code: CURLcode) {
        switch transfer.result(of: code) {
        case .accepted:
            let now = ContinuousClock.now
            dispatcher.count(.accepted, now - transfer.startedAt)
            health.accepted(at: now)
            gate.accepted()
            transfer.job.continuation.resume(returning: .accepted)
        case .rejected(let rejection, let isWhole):
            dispatcher.count(CountedAnswer(rejection), .now - transfer.startedAt)
            if !isWhole { retire(.broken("an answer was cut or did not end")) }
            settle(transfer, rejection)
        case .notApple:
            dispatcher.count(CountedAnswer(.notHTTP2), nil)
            retire(.broken("the peer does not speak HTTP/2"))
            transfer.job.continuation.resume(returning: .misconfigured(.transport(.notHTTP2)))
        case .failed(let failure):
            dispatcher.count(CountedAnswer(isBudgetSpent(failure) ? .tooManyConnections : failure.silence), nil)
            settle(transfer, failure)
        }
    }

    private func settle(_ transfer: Transfer, _ rejection: Rejection) {
        let effect = ConnectionEffect(rejection)
        if health.rejected(effect, at: .now) {
            retire(effect == .suspect ? .internalErrors : .wedged(rejection.word))
        }
        let hasNewToken = effect == .replaceWithNewToken && dispatcher.token.renew(afterRejectionOf: transfer.bearer)
        var job = transfer.job
        if effect.allowsRetry, effect != .replaceWithNewToken || hasNewToken, job.unknownFates == 0 {
            // Apple has said that it did not take it, so this second try cannot make two of one.
            job.unknownFates += 1
            return dispatcher.requeue(job)
        }
        job.continuation.resume(returning: Outcome(rejection))
    }

    private func settle(_ transfer: Transfer, _ failure: Transfer.Failure) {
        var job = transfer.job
        switch failure.scope {
        case .configuration:
            retire(.broken(failure.text))
            return job.continuation.resume(returning: .misconfigured(.transport(failure.transport)))
        case .connection:
            retire(.broken(failure.text))
        case .time:
            if health.ranOut() { retire(.unanswered) }
            return job.continuation.resume(returning: .tryAgain(.transport(.deadline(waiting: !failure.wasSent))))
        case .stream:
            break
        }
        guard .now < job.deadline else {
            return job.continuation.resume(returning: .tryAgain(.transport(.deadline(waiting: !failure.wasSent))))
        }
        if failure.wasSent { job.unknownFates += 1 } else { job.unsent += 1 }
        guard job.unknownFates <= 1, job.unsent <= 3 else {
            let cause = isBudgetSpent(failure) ? .tooManyConnections : failure.transport
            return job.continuation.resume(returning: .tryAgain(.transport(cause)))
        }
        dispatcher.requeue(job)
    }

    private func isBudgetSpent(_ failure: Transfer.Failure) -> Bool { isOverBudget && !failure.wasSent }

    private func retire(_ cause: ConnectionReport) {
        dispatcher.retire(number, afterSuccess: health.hasSucceeded, because: cause)
        drain()
    }

    private func drain() {
        if drainsUntil == nil { drainsUntil = .now + Self.drainTime }
    }
}
