/// One HTTP request of a command's, for an answer that somebody wants to look at; pushes go through ``Client``.
///
/// Nothing is followed, no proxy of the environment is used and no connection is kept.
package struct Probe: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package enum Version: Sendable {
        case http1
        /// Asked for in the TLS handshake; ``ProbeAnswer/isHTTP2`` says whether the peer speaks it.
        case http2
    }

    package var method: Method
    /// `http://` or `https://`.
    package var url: String
    package var fields: [(name: String, value: String)] = []
    package var body: [UInt8] = []
    package var version = Version.http1
    /// A file of certificates to trust in place of the system's.
    package var certificateAuthorities: String?
    /// The Unix socket to connect to, whatever the URL says.
    package var socketPath: String?
    /// `address:port` to connect to in place of the URL's host and port, which stay what the request names.
    package var peer: String?
    /// From the look-up of the name to the last octet of the answer.
    package var timeLimit = Duration.seconds(10)
    /// Octets of a body; an answer with more is an error.
    package var longestAnswer = 1_000_000

    package init(_ method: Method, _ url: String) {
        self.method = method
        self.url = url
    }

    /// Sends the request and waits for the answer on the calling thread, which must not be one of the cooperative pool.
    ///
    /// An answer of any status is an answer. Where a certificate is not trusted, a second connection that sends nothing
    /// reads it, so that the error can say what it is.
    package func answer() throws(ProbeError) -> ProbeAnswer {
        guard !fields.contains(where: { "\($0)\($1)".utf8.contains { $0 == 0x0a || $0 == 0x0d || $0 == 0 } }) else {
            throw .other("a field of the request holds a line break")
        }
        do throws(ProbeError) {
            return try Exchange.perform(self)
        } catch .refusedTLS(var refusal) {
            if refusal.fault != .handshake { refusal.chain = Exchange.chain(of: self) }
            throw .refusedTLS(refusal)
        }
    }
}

/// What came back, and how.
package struct ProbeAnswer: Sendable {
    package var status: Int
    package var isHTTP2: Bool
    /// In order of arrival.
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]
    /// The IP address at the other end; empty for a Unix socket.
    package var address: String
    /// The peer's own certificate first; empty without TLS.
    package var chain: [Certificate]
    package var times: Times

    package init(
        status: Int,
        isHTTP2: Bool = false,
        fields: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        address: String = "",
        chain: [Certificate] = [],
        times: Times = Times()
    ) {
        self.status = status
        self.isHTTP2 = isHTTP2
        self.fields = fields
        self.body = body
        self.address = address
        self.chain = chain
        self.times = times
    }

    /// When each step was over, in milliseconds since the start; 0 for a step that there was not.
    package struct Times: Sendable, Equatable {
        package var nameLookup = 0
        package var connect = 0
        package var tls = 0
        package var firstOctet = 0
        package var total = 0

        package init() {}
    }

    /// The first value of a field, whatever the case of its name.
    package func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The peer's clock in seconds since 1970, when it told.
    package var date: Int64? {
        field("date").flatMap(seconds(ofDate:))
    }
}

/// Why there is no answer.
package enum ProbeError: Error, Sendable, Equatable {
    case notResolved(String)
    case cannotConnect(String)
    case refusedTLS(TLSRefusal)
    case timedOut
    case other(String)

    /// A lower-case phrase that says what happened, without a remedy.
    package var text: String {
        switch self {
        case .notResolved(let text): "the name cannot be resolved (\(text))"
        case .cannotConnect(let text): "no connection (\(text))"
        case .refusedTLS(let refusal): "TLS failed (\(refusal.reason))"
        case .timedOut: "no answer in time"
        case .other(let text): "no answer (\(text))"
        }
    }
}

/// Why a TLS connection was not made.
package struct TLSRefusal: Error, Sendable, Equatable {
    package enum Fault: Sendable {
        case expired, notYetValid, notTrusted, wrongName
        /// There is no certificate to speak of: another version, no common cipher, or a peer that does not speak TLS.
        case handshake
    }

    package var fault: Fault
    /// OpenSSL's words.
    package var reason: String
    /// What the peer shows, though it is not trusted; the peer's own certificate first.
    package var chain: [Certificate]

    package init(fault: Fault, reason: String, chain: [Certificate] = []) {
        self.fault = fault
        self.reason = reason
        self.chain = chain
    }
}
