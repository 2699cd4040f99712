import CCurl

/// One request on libcurl's side: the easy handle, its headers, and the answer as far as it has come.
///
/// It belongs to a generation's thread. Its address is what libcurl gives back to the write callback, and the generation
/// holds it for as long as the handle is inside the multi handle.
final class Transfer {
    /// libcurl's callback that makes a socket, and what is given to it.
    typealias Opening = (
        function:
            @convention(c) (
                UnsafeMutableRawPointer?, curlsocktype, UnsafeMutablePointer<curl_sockaddr>?
            ) -> curl_socket_t,
        context: UnsafeMutableRawPointer
    )

    let easy: UnsafeMutableRawPointer
    let job: Job
    let bearer: String
    let startedAt: ContinuousClock.Instant
    private let headers: UnsafeMutablePointer<curl_slist>?
    private(set) var body: [UInt8] = []

    /// Apple's answers are a few dozen octets; the rest of a longer one is read and forgotten.
    private static let longestBody = 4_096
    /// The end of patience with an answer that does not end.
    private static let endlessBody = 65_536
    private var bodyOctets = 0

    /// Nil when there is no memory.
    init?(
        _ job: Job,
        bearer: String,
        at now: ContinuousClock.Instant,
        _ configuration: Client.Configuration,
        _ opening: Opening
    ) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.job = job
        self.bearer = bearer
        startedAt = now
        let notification = job.notification
        headers = list(
            [
                "authorization: bearer \(bearer)",
                "apns-topic: \(configuration.topic)",
                "apns-push-type: alert",
                "apns-priority: \(notification.priority.rawValue)",
                "apns-expiration: \(notification.expiration)",
                "apns-id: \(notification.id)",
                "content-type: application/json",
                // libcurl adds this one by itself; a name without a value takes it out.
                "accept:",
            ] + (notification.collapseID.map { ["apns-collapse-id: \($0)"] } ?? [])
        )
        set(CURLOPT_URL, "\(configuration.origin)/3/device/\(notification.deviceToken.hex)")
        relay_curl_set_list(easy, CURLOPT_HTTPHEADER, headers)
        setBody(notification.payload)
        setConnection(configuration)
        setTimes(until: job.deadline, connecting: configuration.connectDeadline)
        relay_curl_set_opensocket(easy, opening.function)
        relay_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, opening.context)
        relay_curl_set_write(easy, takeAnswer)
        relay_curl_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headers)
    }

    /// Keeps what there is room for; false when the answer is not going to end.
    fileprivate func take(_ octets: UnsafeRawBufferPointer) -> Bool {
        body.append(contentsOf: octets.prefix(max(0, Self.longestBody - body.count)))
        bodyOctets += octets.count
        return bodyOctets <= Self.endlessBody
    }
}

extension Transfer {
    private func set(_ option: CURLoption, _ value: Int) {
        relay_curl_set_long(easy, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        relay_curl_set_string(easy, option, value)
    }

    private func setBody(_ body: [UInt8]) {
        set(CURLOPT_POST, 1)
        // The size first: without it libcurl takes the copy's length from the first zero octet.
        set(CURLOPT_POSTFIELDSIZE, body.count)
        _ = body.withUnsafeBytes { octets in
            relay_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: octets.baseAddress))
        }
    }

    private func setConnection(_ configuration: Client.Configuration) {
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        // Wait for the connection that is being opened rather than open another.
        set(CURLOPT_PIPEWAIT, 1)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        set(CURLOPT_PROTOCOLS_STR, "https")
        set(CURLOPT_FOLLOWLOCATION, 0)
        // Not the environment's proxy: the provider token must go to Apple and to nobody else.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOSIGNAL, 1)
        // A resolver that hangs must not hold up the thread when its transfer is given up.
        set(CURLOPT_QUICK_EXIT, 1)
        if let file = configuration.certificateAuthorities { set(CURLOPT_CAINFO, file) }
    }

    private func setTimes(until deadline: ContinuousClock.Instant, connecting: Duration) {
        set(CURLOPT_TIMEOUT_MS, max(1, Int((deadline - .now) / .milliseconds(1))))
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(connecting / .milliseconds(1)))
        // Apple asks for a fresh look at its addresses before each connection, and for connections that last: libcurl's
        // own limit of 118 idle seconds would mean a handshake for every push on a quiet day.
        set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
        set(CURLOPT_MAXAGE_CONN, 3_600)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_TCP_KEEPIDLE, 60)
        set(CURLOPT_TCP_KEEPINTVL, 15)
    }
}

private func list(_ lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
    lines.reduce(nil) { list, line in curl_slist_append(list, line) ?? list }
}

/// libcurl's write callback.
private func takeAnswer(
    octets: UnsafeMutablePointer<CChar>?,
    size: Int,
    count: Int,
    context: UnsafeMutableRawPointer?
) -> Int {
    guard let octets, let context else { return 0 }
    let answer = UnsafeRawBufferPointer(start: octets, count: size * count)
    let goesOn = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().take(answer)
    // Fewer octets than it gave end the transfer; the status has come by then.
    return goesOn ? size * count : 0
}
