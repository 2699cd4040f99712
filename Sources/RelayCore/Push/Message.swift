import FoundationEssentials

/// What the instance says in a decrypted message; every member that is not listed here is ignored and forgotten.
struct Message: Decodable, Equatable {
    let notificationType: String?
    let title: String
    let body: String
    let statusID: String?
    let accountID: String?

    private enum Key: String, CodingKey {
        case title, body
        case notificationType = "notification_type"
        case statusID = "status_id"
        case accountID = "account_id"
    }

    /// Types longer than this are cut: they are words, and the app compares them with words.
    private static let longestType = 64

    init(parsing plaintext: [UInt8]) throws(JSON.Malformed) {
        self = try JSON.decode(plaintext)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let text = try? container.decodeIfPresent(String.self, forKey: .body)
        // Misskey packs the whole notification where the others have a text. (Foundation takes its time to say that a
        // member has another type, so the usual one is asked for first.)
        if text == nil, let packed = try? container.decode(Packed.self, forKey: .body) {
            title = "New \(packed.type)"
            body = packed.user?.name ?? packed.user?.username ?? ""
            notificationType = packed.type.cut(toOctets: Self.longestType)
            statusID = packed.note?.id?.text
            accountID = packed.user?.id?.text
            return
        }
        title = try container.decodeIfPresent(String.self, forKey: .title) ?? ""
        body = try text ?? container.decodeIfPresent(String.self, forKey: .body) ?? ""
        guard !title.isEmpty || !body.isEmpty else {
            // An alert without words would be a sound and an empty banner.
            throw JSON.Malformed(text: "\"title\" and \"body\" are both missing or empty")
        }
        notificationType = try container.decodeIfPresent(String.self, forKey: .notificationType)
            .map { $0.cut(toOctets: Self.longestType) }
        statusID = try container.decodeIfPresent(Identifier.self, forKey: .statusID)?.text
        accountID = try container.decodeIfPresent(Identifier.self, forKey: .accountID)?.text
    }
}

/// What Misskey sends as `body`.
private struct Packed: Decodable {
    let type: String
    let user: User?
    let note: Note?

    struct User: Decodable {
        let id: Identifier?
        let name: String?
        let username: String?
    }

    struct Note: Decodable {
        let id: Identifier?
    }
}

/// An id of the instance: text, or the digits of a number as they stand.
private struct Identifier: Decodable {
    /// Nil for what cannot be an id that the app could follow.
    let text: String?

    /// A link to half an id leads astray, so a longer one is left out, not cut.
    private static let longest = 128

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self.text = (1...Self.longest).contains(text.utf8.count) ? text : nil
            return
        }
        guard let number = try? container.decode(Decimal.self) else {
            // For what the error says of it.
            _ = try container.decode(String.self)
            text = nil
            return
        }
        // A Decimal holds 38 digits exactly, where a Double, and so most JSON readers, stop at 15.
        let digits = number.description
        text = digits.utf8.count <= 38 && digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? digits : nil
    }
}

extension String {
    /// The longest beginning of whole characters that takes at most `limit` octets of UTF-8.
    func cut(toOctets limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var kept = ""
        var octets = 0
        for character in self {
            octets += character.utf8.count
            guard octets <= limit else { break }
            kept.append(character)
        }
        return kept
    }
}
