import CCurl
import FoundationEssentials

extension Transfer {
    /// What a finished transfer came to.
    enum Result {
        case accepted
        /// An answer other than 200; `isWhole` is false when it was cut, by the peer or by its length.
        case rejected(Rejection, isWhole: Bool)
        /// An answer, but not in HTTP/2: libcurl only asks for it, and takes a peer that speaks HTTP/1.1 without an error.
        case notApple
        case failed(Failure)
    }

    /// Why there is no answer.
    struct Failure {
        /// How far the trouble reaches.
        enum Scope {
            /// This request; the connection and the others on it are unharmed.
            case stream
            case connection
            /// No answer in time; whether the connection is at fault takes more than one to tell.
            case time
            /// Nothing that another try would change.
            case configuration
        }

        let scope: Scope
        /// Whether the whole request left this machine; when it did not, Apple cannot have taken it.
        let wasSent: Bool
        let code: CURLcode
        let text: String

        var transport: TransportFailure { .failed(code: Int(code.rawValue), text: text) }

        /// As what it is counted.
        var silence: CountedAnswer.Silence {
            switch (scope, code) {
            case (.stream, _): .stream
            case (.time, _): .timeout
            case (.configuration, _), (.connection, CURLE_SSL_CONNECT_ERROR): .tls
            case (.connection, CURLE_COULDNT_RESOLVE_HOST): .lookup
            // Without a connection it was the connecting that took too long.
            case (.connection, CURLE_COULDNT_CONNECT), (.connection, CURLE_OPERATION_TIMEDOUT): .connect
            case (.connection, _): .connection
            }
        }
    }

    /// Looks at a finished handle; it has to be asked before the handle is used again.
    func result(of code: CURLcode) -> Result {
        // A status that has come is an answer, even when the body behind it was cut or did not end.
        let status = long(CURLINFO_RESPONSE_CODE)
        guard code == CURLE_OK || status >= 200 else {
            let text = String(cString: curl_easy_strerror(code))
            return .failed(Failure(scope: scope(of: code), wasSent: wasSent, code: code, text: text))
        }
        guard long(CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0 else { return .notApple }
        guard status != 200 else { return .accepted }
        let answer = Answer(handle.body)
        let date = header("date").map { Int64(curl_getdate($0, nil)) }.flatMap { $0 >= 0 ? $0 : nil }
        return .rejected(
            Rejection(status: status, word: answer.reason ?? "", timestamp: answer.timestamp, date: date),
            isWhole: code == CURLE_OK
        )
    }

    private func scope(of code: CURLcode) -> Failure.Scope {
        switch code {
        case CURLE_OPERATION_TIMEDOUT:
            // Without a connection it was the connecting that took too long.
            long(CURLINFO_REQUEST_SIZE) == 0 ? .connection : .time
        case CURLE_HTTP2_STREAM:
            .stream
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_ISSUER_ERROR, CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
            .configuration
        default:
            .connection
        }
    }

    /// END_STREAM goes out behind the body's last octet. (`APPCONNECT_TIME` would not tell: it is 0 on every connection
    /// that is used again.)
    private var wasSent: Bool {
        var uploaded: curl_off_t = 0
        relay_curl_get_offset(easy, CURLINFO_SIZE_UPLOAD_T, &uploaded)
        return long(CURLINFO_REQUEST_SIZE) > 0 && Int(uploaded) >= job.notification.payload.count
    }

    private func long(_ info: CURLINFO) -> Int {
        var value = 0
        relay_curl_get_long(easy, info, &value)
        return value
    }

    private func header(_ name: String) -> UnsafePointer<CChar>? {
        var header: UnsafeMutablePointer<curl_header>?
        guard curl_easy_header(easy, name, 0, UInt32(CURLH_HEADER), -1, &header) == CURLHE_OK else { return nil }
        return header.flatMap { UnsafePointer($0.pointee.value) }
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
