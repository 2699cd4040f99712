import CCurl

/// The loop of the one thread that owns libcurl's multi handle and everything in it.
///
/// Jobs wait in the mailbox and not inside libcurl, where a waiting handle runs down its own time and fails with a
/// misleading text; and at most one connection is ever open, because 7.88.1 would otherwise open one for each job of a
/// burst, which Apple takes for an attack.
final class TransferLoop {
    private let configuration: Client.Configuration
    private let mailbox: Mailbox
    private let multi: UnsafeMutableRawPointer
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]

    private static let isInitialised = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init(configuration: Client.Configuration, mailbox: Mailbox) throws(ClientError) {
        guard Self.isInitialised, let multi = curl_multi_init() else { throw .libcurl }
        self.configuration = configuration
        self.mailbox = mailbox
        self.multi = multi
        relay_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        relay_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1)
        relay_curl_multi_set_long(multi, CURLMOPT_MAX_CONCURRENT_STREAMS, configuration.mostInFlight)
        mailbox.setWaker(Waker(multi: multi))
    }

    deinit {
        mailbox.setWaker(nil)
        curl_multi_cleanup(multi)
    }

    /// Runs until the mailbox is closed; every job that was posted by then has an outcome when it returns.
    func run() {
        while true {
            let (jobs, isOpen) = mailbox.take(configuration.mostInFlight - transfers.count)
            guard isOpen else {
                refuse(jobs)
                return
            }
            for job in jobs { start(job) }

            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            let hasFinished = collect()
            for job in mailbox.takeExpired(at: .now) {
                job.continuation.resume(returning: .tryAgain(.transport(.deadline(waiting: true))))
            }
            // A finished transfer leaves room for a job that waits. Otherwise sleep until a socket, the waker or the
            // time of a job has something to say.
            if !hasFinished { curl_multi_poll(multi, nil, 0, patience, nil) }
        }
    }

    /// Milliseconds until the oldest job that waits runs out of time, 1 to 1,000.
    private var patience: Int32 {
        guard let deadline = mailbox.nextDeadline else { return 1_000 }
        return Int32(min(1_000, max(1, (deadline - .now) / .milliseconds(1))))
    }

    private func start(_ job: Job) {
        guard let transfer = Transfer(job, configuration: configuration) else {
            job.continuation.resume(returning: .tryAgain(.transport(.failed(code: 27, text: "out of memory"))))
            return
        }
        guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
            transfer.finish(.tryAgain(.transport(.failed(code: 27, text: "out of memory"))))
            return
        }
        transfers[transfer.easy] = transfer
    }

    /// Hands out the outcomes of what has finished; false when nothing has.
    private func collect() -> Bool {
        var hasFinished = false
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let result = relay_curl_result(message)
            curl_multi_remove_handle(multi, easy)
            guard let transfer = transfers.removeValue(forKey: easy) else { continue }
            transfer.finish(transfer.outcome(of: result))
            hasFinished = true
        }
        return hasFinished
    }

    /// Answers everybody who still waits, first those whose request may be with Apple already.
    private func refuse(_ jobs: [Job]) {
        for (easy, transfer) in transfers {
            curl_multi_remove_handle(multi, easy)
            transfer.finish(.tryAgain(.stopping))
        }
        transfers = [:]
        var waiting = jobs
        while !waiting.isEmpty {
            for job in waiting { job.continuation.resume(returning: .tryAgain(.stopping)) }
            waiting = mailbox.take(.max).jobs
        }
    }
}
