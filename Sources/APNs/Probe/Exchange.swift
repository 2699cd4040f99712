import CCurl
import Glibc

/// One request on libcurl's side: an easy handle that lives from the request to the end of its answer.
final class Exchange {
    private let easy: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var peers: UnsafeMutablePointer<curl_slist>?
    private var body: [UInt8] = []
    private let longestBody: Int
    private var isTooLong = false

    /// The answer to a probe.
    static func perform(_ probe: Probe) throws(ProbeError) -> ProbeAnswer {
        let exchange = try Exchange(probe)
        exchange.setRequest(probe)
        let code = curl_easy_perform(exchange.easy)
        guard code == CURLE_OK else { throw exchange.error(code) }
        return exchange.answer
    }

    /// The certificates of a peer that is not trusted, over a connection that carries nothing; empty if it shows none.
    static func chain(of probe: Probe) -> [Certificate] {
        guard let exchange = try? Exchange(probe) else { return [] }
        exchange.set(CURLOPT_CONNECT_ONLY, 1)
        exchange.set(CURLOPT_SSL_VERIFYPEER, 0)
        exchange.set(CURLOPT_SSL_VERIFYHOST, 0)
        guard curl_easy_perform(exchange.easy) == CURLE_OK else { return [] }
        return exchange.chain
    }

    private init(_ probe: Probe) throws(ProbeError) {
        guard let easy = curl_easy_init() else { throw .other("out of memory") }
        self.easy = easy
        longestBody = probe.longestAnswer
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        relay_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        set(CURLOPT_URL, probe.url)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        set(CURLOPT_HTTP_VERSION, Int(probe.version == .http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        set(CURLOPT_FOLLOWLOCATION, 0)
        // Not the environment's proxy: what is looked at is the peer itself.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_TIMEOUT_MS, max(1, Int(probe.timeLimit / .milliseconds(1))))
        set(CURLOPT_CERTINFO, 1)
        if let file = probe.certificateAuthorities { set(CURLOPT_CAINFO, file) }
        if let path = probe.socketPath { set(CURLOPT_UNIX_SOCKET_PATH, path) }
        if let peer = probe.peer {
            // Nothing in front of the address: for every host and port.
            peers = curl_slist_append(nil, "::\(peer)")
            relay_curl_set_list(easy, CURLOPT_CONNECT_TO, peers)
        }
        relay_curl_set_write(easy, takeBody)
        relay_curl_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        curl_slist_free_all(peers)
        errorText.deallocate()
    }

    private func setRequest(_ probe: Probe) {
        // libcurl waits for leave to send a longer body; a name without a value takes that out.
        for line in ["Expect:"] + probe.fields.map({ $1.isEmpty ? "\($0);" : "\($0): \($1)" }) {
            fields = curl_slist_append(fields, line) ?? fields
        }
        relay_curl_set_list(easy, CURLOPT_HTTPHEADER, fields)
        guard probe.method == .post else { return }
        set(CURLOPT_POST, 1)
        // The size first: without it libcurl takes the copy's length from the first zero octet.
        set(CURLOPT_POSTFIELDSIZE, probe.body.count)
        _ = (probe.body + [0]).withUnsafeBytes { octets in
            relay_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: octets.baseAddress))
        }
    }

    /// Keeps what comes; false when it is more than anybody wants to see.
    fileprivate func take(_ octets: UnsafeRawBufferPointer) -> Bool {
        guard body.count + octets.count <= longestBody else {
            isTooLong = true
            return false
        }
        body.append(contentsOf: octets)
        return true
    }
}

// What a finished handle tells.
extension Exchange {
    private var answer: ProbeAnswer {
        var times = ProbeAnswer.Times()
        times.nameLookup = milliseconds(CURLINFO_NAMELOOKUP_TIME_T)
        times.connect = milliseconds(CURLINFO_CONNECT_TIME_T)
        times.tls = milliseconds(CURLINFO_APPCONNECT_TIME_T)
        times.firstOctet = milliseconds(CURLINFO_STARTTRANSFER_TIME_T)
        times.total = milliseconds(CURLINFO_TOTAL_TIME_T)
        var address: UnsafePointer<CChar>?
        relay_curl_get_string(easy, CURLINFO_PRIMARY_IP, &address)
        return ProbeAnswer(
            status: long(CURLINFO_RESPONSE_CODE),
            isHTTP2: long(CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0,
            fields: headers,
            body: body,
            address: address.map { String(cString: $0) } ?? "",
            chain: chain,
            times: times
        )
    }

    private var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        var header = curl_easy_nextheader(easy, UInt32(CURLH_HEADER), -1, nil)
        while let current = header {
            headers.append((String(cString: current.pointee.name), String(cString: current.pointee.value)))
            header = curl_easy_nextheader(easy, UInt32(CURLH_HEADER), -1, current)
        }
        return headers
    }

    private var chain: [Certificate] {
        guard let chain = relay_curl_get_certificates(easy), let certificates = chain.pointee.certinfo else {
            return []
        }
        return (0..<max(0, Int(chain.pointee.num_of_certs))).compactMap { index in
            var lines: [String] = []
            var line = certificates[index]
            while let current = line {
                if let text = current.pointee.data { lines.append(String(cString: text)) }
                line = current.pointee.next
            }
            return Certificate(lines: lines)
        }
    }

    private func error(_ code: CURLcode) -> ProbeError {
        let words = String(cString: errorText)
        let text = words.isEmpty ? String(cString: curl_easy_strerror(code)) : words
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: return .notResolved(text)
        case CURLE_COULDNT_CONNECT: return .cannotConnect(text)
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
            return .refusedTLS(TLSRefusal(fault: fault, reason: text))
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER:
            return .refusedTLS(TLSRefusal(fault: .handshake, reason: text))
        case CURLE_WRITE_ERROR where isTooLong: return .other("the answer is longer than \(longestBody) octets")
        default: return .other(text)
        }
    }

    /// OpenSSL's verdict on the certificate (openssl/x509_vfy.h); without one, the name is what is wrong.
    private var fault: TLSRefusal.Fault {
        switch long(CURLINFO_SSL_VERIFYRESULT) {
        // X509_V_OK; 1, which libcurl 7.88 has there until it has compared the names; X509_V_ERR_HOSTNAME_MISMATCH.
        case 0, 1, 62: .wrongName
        // X509_V_ERR_CERT_HAS_EXPIRED
        case 10: .expired
        // X509_V_ERR_CERT_NOT_YET_VALID
        case 9: .notYetValid
        default: .notTrusted
        }
    }

    private func set(_ option: CURLoption, _ value: Int) {
        relay_curl_set_long(easy, option, value)
    }

    private func set(_ option: CURLoption, _ value: String) {
        relay_curl_set_string(easy, option, value)
    }

    private func long(_ info: CURLINFO) -> Int {
        var value = 0
        relay_curl_get_long(easy, info, &value)
        return value
    }

    private func milliseconds(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        relay_curl_get_offset(easy, info, &value)
        return Int(value / 1_000)
    }
}

/// libcurl's write callback.
private func takeBody(
    octets: UnsafeMutablePointer<CChar>?,
    size: Int,
    count: Int,
    context: UnsafeMutableRawPointer?
) -> Int {
    guard let octets, let context else { return 0 }
    let part = UnsafeRawBufferPointer(start: octets, count: size * count)
    return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().take(part) ? size * count : 0
}
