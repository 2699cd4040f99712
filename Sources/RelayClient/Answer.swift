import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An answer of HTTP, whoever gave it.
struct Answer: Sendable, Equatable {
    let status: Int
    /// Empty where it was longer than it may be.
    let body: Data
    /// In seconds; nil where it is not said, or as a date.
    var retryAfter: TimeInterval?

    /// Whether the same request may get another answer a moment later.
    var isTransient: Bool { status == 408 || status == 429 || (500...599).contains(status) }

    /// The body as JSON; nil where it is none of this form.
    func decoded<Body: Decodable>(_ type: Body.Type) -> Body? {
        try? JSONDecoder().decode(type, from: body)
    }

    static func retryAfter(_ value: String?) -> TimeInterval? {
        guard let value, (1...9).contains(value.utf8.count), value.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return TimeInterval(value)
    }
}

extension Answer {
    init(_ response: HTTPURLResponse, body: Data) {
        self.init(
            status: response.statusCode,
            body: body,
            retryAfter: Self.retryAfter(response.value(forHTTPHeaderField: "Retry-After"))
        )
    }
}

extension String {
    /// Another's words for a log or a screen: one line of at most 300 characters.
    var printable: String {
        let kept = unicodeScalars.prefix(2_000).map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String(String.UnicodeScalarView(kept)).prefix(300))
    }
}
