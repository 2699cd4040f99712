import CCurl
import FoundationEssentials
import Glibc

/// One request on libcurl's side: the easy handle, its headers, and the answer as far as it has come.
///
/// It belongs to the loop's thread. Its address is what libcurl gives back to the write callback, and the loop holds it
/// for as long as the handle is inside the multi handle.
final class Transfer {
    let easy: UnsafeMutableRawPointer
    private let job: Job
    private let headers: UnsafeMutablePointer<curl_slist>?
    fileprivate var body: [UInt8] = []

    /// Apple's answers are a few dozen octets; the rest of a longer one is read and forgotten.
    fileprivate static let longestBody = 4096

    /// Nil when there is no memory.
    init?(_ job: Job, configuration: Client.Configuration) {
        guard let easy = curl_easy_init() else { return nil }
        let notification = job.notification
        self.easy = easy
        self.job = job
        headers = list(
            [
                "authorization: bearer \(job.bearer)",
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
        relay_curl_set_write(easy, takeAnswer)
        relay_curl_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headers)
    }

    /// Resumes whoever waits; to be called once.
    func finish(_ outcome: Outcome) {
        job.continuation.resume(returning: outcome)
    }

    /// What a finished transfer came to; it looks at the handle, so it has to come before the handle is freed.
    func outcome(of result: CURLcode) -> Outcome {
        guard result == CURLE_OK else {
            guard result != CURLE_OPERATION_TIMEDOUT else { return .tryAgain(.transport(.deadline(waiting: false))) }
            let text = String(cString: curl_easy_strerror(result))
            let failure = TransportFailure.failed(code: Int(result.rawValue), text: text)
            // A certificate that is not trusted, or a bundle that cannot be read, stays so until somebody mends it.
            let isConfiguration = [CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE].contains(result)
            return isConfiguration ? .misconfigured(.transport(failure)) : .tryAgain(.transport(failure))
        }
        var version = 0
        var status = 0
        relay_curl_get_long(easy, CURLINFO_HTTP_VERSION, &version)
        relay_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        // HTTP/2 is only ever a request to libcurl: a peer that speaks HTTP/1.1 alone is taken without an error.
        guard version == CURL_HTTP_VERSION_2_0 else { return .misconfigured(.transport(.notHTTP2)) }
        guard status != 200 else { return .accepted }
        let answer = Answer(body)
        return Outcome(Rejection(status: status, word: answer.reason ?? "", timestamp: answer.timestamp))
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
        relay_curl_set_sockopt(easy, limitUnacknowledged)
    }
}

/// The body of an answer that is not 200; whatever cannot be read in it counts as not said.
private struct Answer: Decodable {
    var reason: String?
    var timestamp: Int64?

    init(_ body: [UInt8]) {
        if let answer = try? JSONDecoder().decode(Answer.self, from: Data(body)) { self = answer }
    }

    private enum Key: String, CodingKey { case reason, timestamp }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        reason = try? container.decode(String.self, forKey: .reason)
        timestamp = try? container.decode(Int64.self, forKey: .timestamp)
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
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    let room = Transfer.longestBody - transfer.body.count
    let answer = UnsafeRawBufferPointer(start: octets, count: size * count)
    transfer.body.append(contentsOf: answer.prefix(max(0, room)))
    // Fewer than it gave would be an error to libcurl, and the status would be lost with it.
    return size * count
}

/// Gives up a connection whose octets nobody has acknowledged for 15 seconds; the kernel's own limit is a quarter hour.
private func limitUnacknowledged(
    context: UnsafeMutableRawPointer?,
    socket: curl_socket_t,
    purpose: curlsocktype
) -> Int32 {
    var milliseconds: UInt32 = 15_000
    let size = socklen_t(MemoryLayout<UInt32>.size)
    // A kernel that does not know the option is no reason not to connect.
    _ = setsockopt(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, size)
    return CURL_SOCKOPT_OK
}
