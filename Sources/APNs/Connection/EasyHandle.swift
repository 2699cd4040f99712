import CCurl

/// An easy handle of libcurl and the answer that comes over it: set up once, and used for one request after the other.
///
/// It belongs to a generation's thread. Its address is what libcurl gives back to the write callback, and a transfer
/// holds it for as long as the handle is inside the multi handle.
final class EasyHandle {
    let easy: UnsafeMutableRawPointer
    private var fields: HeaderFields?
    private(set) var body: [UInt8] = []

    /// Apple's answers are a few dozen octets; the rest of a longer one is read and forgotten.
    private static let longestBody = 4_096
    /// The end of patience with an answer that does not end.
    private static let endlessBody = 65_536
    private var bodyOctets = 0

    /// Nil when there is no memory.
    init?(_ configuration: Client.Configuration, _ sockets: Sockets) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        setConnection(configuration)
        setTimes(configuration)
        set(CURLOPT_POST, 1)
        // Instead of 16 and 64 KiB for each stream, for what Apple takes and gives.
        set(CURLOPT_BUFFERSIZE, Self.longestBody)
        set(CURLOPT_UPLOAD_BUFFERSIZE, 16_384)
        sockets.serve(easy)
        relay_curl_set_write(easy, takeAnswer)
        relay_curl_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { curl_easy_cleanup(easy) }

    /// Says what is to be sent next, and by when it has to be answered.
    func load(_ url: String, _ fields: HeaderFields, _ payload: [UInt8], until deadline: ContinuousClock.Instant) {
        body.removeAll(keepingCapacity: true)
        bodyOctets = 0
        set(CURLOPT_URL, url)
        relay_curl_set_list(easy, CURLOPT_HTTPHEADER, fields.list)
        // Only now: until then the handle still points at those of the last request.
        self.fields = fields
        // The size first: without it libcurl takes the copy's length from the first zero octet.
        set(CURLOPT_POSTFIELDSIZE, payload.count)
        _ = payload.withUnsafeBytes { octets in
            relay_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: octets.baseAddress))
        }
        // Rounded up: a time that ran out before the deadline would leave a moment for one more try.
        set(CURLOPT_TIMEOUT_MS, max(1, Int(((deadline - .now) / .milliseconds(1)).rounded(.up))))
    }

    /// Keeps what there is room for; false when the answer is not going to end.
    fileprivate func take(_ octets: UnsafeRawBufferPointer) -> Bool {
        body.append(contentsOf: octets.prefix(max(0, Self.longestBody - body.count)))
        bodyOctets += octets.count
        return bodyOctets <= Self.endlessBody
    }
}

extension EasyHandle {
    private func set(_ option: CURLoption, _ value: Int) {
        relay_curl_set_long(easy, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        relay_curl_set_string(easy, option, value)
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

    private func setTimes(_ configuration: Client.Configuration) {
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(configuration.connectDeadline / .milliseconds(1)))
        // Apple asks for a fresh look at its addresses before each connection, and for connections that last: libcurl's
        // own limit of 118 idle seconds would mean a handshake for every push on a quiet day.
        set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
        set(CURLOPT_MAXAGE_CONN, 3_600)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_TCP_KEEPIDLE, 60)
        set(CURLOPT_TCP_KEEPINTVL, 15)
    }
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
    let goesOn = Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue().take(answer)
    // Fewer octets than it gave end the transfer; the status has come by then.
    return goesOn ? size * count : 0
}
