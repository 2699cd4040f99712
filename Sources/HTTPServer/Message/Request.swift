/// The request line and the fields of a request, known before its body is read.
package struct Head: Sendable {
    /// A token, case-sensitive: `POST` (RFC 9110, section 9.1).
    package let method: String

    /// The raw octets of an origin-form target, query included, never decoded (RFC 9112, section 3.2.1).
    package let target: [UInt8]

    /// The field lines in order of arrival, without any trailer.
    package let fields: Fields

    /// A head as the server would hand it on; nothing is checked here.
    package init(method: String, target: [UInt8], fields: Fields = Fields()) {
        self.method = method
        self.target = target
        self.fields = fields
    }
}

/// A complete request: a handler never sees a part of one.
package struct Request: Sendable {
    /// What came before the body.
    package let head: Head

    /// The content without chunk framing; at most as long as the rule for this head allowed.
    package let body: [UInt8]

    /// When its last octet had arrived and the one before it on the connection was answered.
    package let receivedAt: ContinuousClock.Instant

    /// What it takes of the memory that requests may take; see ``Fields/heldOctets``.
    var heldOctets: Int { body.count + head.target.count + head.fields.heldOctets }

    /// A request as the server would hand it on; nothing is checked here.
    package init(head: Head, body: [UInt8] = [], receivedAt: ContinuousClock.Instant = .now) {
        self.head = head
        self.body = body
        self.receivedAt = receivedAt
    }
}

/// What a request may carry, decided from its head before an octet of the body is read.
package struct BodyRule: Sendable {
    /// The longest body in octets; one that is or grows longer is answered 413 and the connection closed.
    package var limit: Int

    /// Whether a request with neither Content-Length nor Transfer-Encoding is answered 411 and the connection closed.
    package var isRequired: Bool

    /// A limit below 0 counts as 0.
    package init(limit: Int, isRequired: Bool) {
        self.limit = limit
        self.isRequired = isRequired
    }
}
