import CCurl

/// One request under way, and the easy handle that it has to itself until it is settled.
struct Transfer {
    let handle: EasyHandle
    let job: Job
    let bearer: String
    let startedAt: ContinuousClock.Instant
    /// How many sockets libcurl had asked for by then.
    let openings: Int

    var easy: UnsafeMutableRawPointer { handle.easy }
}

/// The easy handles of one generation: what a request leaves behind in good order the next one uses again.
struct HandlePool {
    private let configuration: Client.Configuration
    private let sockets: Sockets
    private var idle: [EasyHandle] = []
    /// The header fields that all requests with one provider token have in common.
    private var common: (bearer: String, fields: HeaderFields)?

    init(_ configuration: Client.Configuration, _ sockets: Sockets) {
        self.configuration = configuration
        self.sockets = sockets
    }

    /// A transfer that is ready to be started; nil when there is no memory.
    mutating func transfer(of job: Job, bearer: String, at now: ContinuousClock.Instant) -> Transfer? {
        guard let handle = idle.popLast() ?? EasyHandle(configuration, sockets) else { return nil }
        let notification = job.notification
        handle.load(
            "\(configuration.origin)/3/device/\(notification.deviceToken.hex)",
            HeaderFields(
                [
                    "apns-id: \(notification.id)",
                    "apns-expiration: \(notification.expiration)",
                    "apns-priority: \(notification.priority.rawValue)",
                ] + (notification.collapseID.map { ["apns-collapse-id: \($0)"] } ?? []),
                followedBy: commonFields(bearer)
            ),
            notification.payload,
            until: job.deadline
        )
        return Transfer(handle: handle, job: job, bearer: bearer, startedAt: now, openings: sockets.openings)
    }

    /// Keeps the handle of a transfer that has been settled, if nothing went wrong with it.
    ///
    /// After a failure nobody knows what is left in it, and libcurl, which tries again by itself over another connection,
    /// counts its tries over all requests of a handle.
    mutating func takeBack(_ transfer: Transfer, hasFailed: Bool) {
        if !hasFailed, transfer.openings == sockets.openings { idle.append(transfer.handle) }
    }

    private mutating func commonFields(_ bearer: String) -> HeaderFields {
        if let common, common.bearer == bearer { return common.fields }
        let fields = HeaderFields([
            "authorization: bearer \(bearer)",
            "apns-topic: \(configuration.topic)",
            "apns-push-type: alert",
            "content-type: application/json",
            // libcurl adds this one by itself; a name without a value takes it out.
            "accept:",
        ])
        common = (bearer, fields)
        return fields
    }
}
