/// The JSON body of an alert (Apple, "Generating a remote notification"): `aps`, and beside it what the app reads.
package struct Payload: Sendable {
    package var title: String
    package var body: String
    /// The number on the app's icon; nil leaves the icon as it is.
    package var badge: Int?
    /// The name of a sound in the app, or `default`; nil is silence.
    package var sound: String?
    package var notificationType: String?
    /// Text always: the ids exceed what a JSON number can hold exactly.
    package var accountID: String?
    package var statusID: String?
    /// Which of the device's accounts was notified.
    package var account: String?

    /// Apple refuses a longer body with `PayloadTooLarge`.
    package static let longest = 4096

    package init(
        title: String,
        body: String,
        badge: Int? = nil,
        sound: String? = nil,
        notificationType: String? = nil,
        accountID: String? = nil,
        statusID: String? = nil,
        account: String? = nil
    ) {
        self.title = title
        self.body = body
        self.badge = badge
        self.sound = sound
        self.notificationType = notificationType
        self.accountID = accountID
        self.statusID = statusID
        self.account = account
    }

    /// The body to send, of at most `longest` octets: texts that do not fit are cut between characters and end in "…".
    ///
    /// The title, of which a phone shows one line, gives way first where it is longer than 200 characters, then the
    /// body, and only then the rest of the title.
    package func encoded() -> [UInt8] {
        let whole = octets
        guard whole.count > Self.longest else { return whole }
        var shorter = self
        shorter.title = Self.cut(title, to: 200)
        if shorter.octets.count <= Self.longest { return shorter.octets }
        shorter.fit(\.body)
        shorter.fit(\.title)
        return shorter.octets
    }

    /// Cuts one text to the most characters with which the whole fits, or to "…" when nothing of it does.
    private mutating func fit(_ text: WritableKeyPath<Payload, String>) {
        let whole = octets.count
        guard whole > Self.longest else { return }
        let original = self[keyPath: text]
        // A character is at least one octet, so more than this many cannot fit.
        var fits = 0
        var tooMany = min(original.count, Self.longest)
        while fits + 1 < tooMany {
            let middle = (fits + tooMany) / 2
            self[keyPath: text] = Self.cut(original, to: middle)
            if octets.count <= Self.longest { fits = middle } else { tooMany = middle }
        }
        self[keyPath: text] = Self.cut(original, to: fits)
        // "…" is no gain over one short character, and what is short is decided by how JSON writes it.
        if octets.count >= whole { self[keyPath: text] = original }
    }

    private static func cut(_ text: String, to characters: Int) -> String {
        guard let end = text.index(text.startIndex, offsetBy: characters, limitedBy: text.endIndex),
            end < text.endIndex
        else { return text }
        return text[..<end] + "…"
    }

    /// The members in the order of their names, so that a body is reproducible.
    private var octets: [UInt8] {
        var alert = JSONObject()
        alert.add("body", body)
        alert.add("title", title)
        var aps = JSONObject()
        aps.add("alert", alert)
        aps.add("badge", badge)
        aps.add("sound", sound)
        var payload = JSONObject()
        payload.add("account", account)
        payload.add("account_id", accountID)
        payload.add("aps", aps)
        payload.add("notification_type", notificationType)
        payload.add("status_id", statusID)
        return payload.text
    }
}
