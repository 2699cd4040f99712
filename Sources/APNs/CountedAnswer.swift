/// One answer of Apple's, or the lack of one, as it is counted: an entry of a list that no peer can make longer.
package struct CountedAnswer: Sendable, Equatable {
    /// Its place in ``labels``.
    package let index: Int

    /// The status and Apple's reason of each; where no answer came, 0 and what stood in the way.
    package static let labels: [(status: String, reason: String)] =
        [("200", "")]
        + Rejection.Reason.allCases.map { ("\($0.status)", $0.rawValue) }
        + unnamed.map { ("\($0)", "other") }
        + [("other", "other")]
        + Silence.allCases.map { ("0", $0.rawValue) }

    /// Why no answer came.
    enum Silence: String, CaseIterable {
        case lookup, connect, tls, connection, stream, timeout
        /// It ran out of time before it could be sent.
        case queue
        case tooManyConnections = "too_many_connections"
        case notHTTP2 = "not_http2"
        /// The provider token could not be signed.
        case unsigned
    }

    /// Statuses that are counted by themselves when their reason is not known.
    private static let unnamed = [400, 403, 404, 405, 410, 413, 429, 500, 502, 503, 504]

    private static let reasons = places(of: Rejection.Reason.allCases, from: 1)
    private static let statuses = places(of: unnamed, from: 1 + reasons.count)
    private static let otherStatus = 1 + reasons.count + unnamed.count
    private static let silences = places(of: Silence.allCases, from: otherStatus + 1)

    private static func places<Key: Hashable>(of keys: [Key], from first: Int) -> [Key: Int] {
        Dictionary(zip(keys, first...), uniquingKeysWith: { one, _ in one })
    }

    package static let accepted = CountedAnswer(index: 0)

    package init(_ rejection: Rejection) {
        let place = rejection.reason.flatMap { Self.reasons[$0] } ?? Self.statuses[rejection.status]
        index = place ?? Self.otherStatus
    }

    init(_ silence: Silence) {
        index = Self.silences[silence] ?? Self.otherStatus
    }

    private init(index: Int) {
        self.index = index
    }
}
