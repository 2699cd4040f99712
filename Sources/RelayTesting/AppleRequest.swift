import Foundation

/// One request as Apple saw it.
package struct AppleRequest: Sendable {
    /// The device token that its path ends in.
    package let token: String
    package let path: String
    package let headers: [String: String]
    /// The JSON body with its keys in order, so that it can be compared as a whole.
    package let payload: String
    package let payloadOctets: Int
    package let connection: Int
    /// What a client that is in order never causes.
    package let remarks: [String]
    /// Tells one provider token from another.
    package let providerToken: String?

    /// Reads a line of the simulator; nil when it is of another kind or of another device.
    init?(_ line: String, token: String) {
        guard line.contains(token) else { return nil }
        self.init(line)
        guard self.token == token else { return nil }
    }

    /// Reads a line of the simulator; nil when it is of another kind.
    init?(_ line: String) {
        guard
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            object["event"] as? String == "request",
            let token = object["token"] as? String,
            let path = object["path"] as? String,
            let octets = object["payload_octets"] as? Int,
            let connection = object["connection"] as? Int
        else { return nil }
        self.token = token
        self.path = path
        self.connection = connection
        payloadOctets = octets
        headers = object["headers"] as? [String: String] ?? [:]
        remarks = object["remarks"] as? [String] ?? []
        providerToken = (object["jwt"] as? [String: Any])?["digest"] as? String
        let body = (object["payload"] as? [String: Any]).flatMap {
            try? JSONSerialization.data(withJSONObject: $0, options: [.sortedKeys, .withoutEscapingSlashes])
        }
        payload = body.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// The badge of the payload; nil when it has none.
    package var badge: Int? { aps?["badge"] as? Int }

    /// The text of the payload's alert; nil when it has none.
    package var text: String? { (aps?["alert"] as? [String: Any])?["body"] as? String }

    private var aps: [String: Any]? {
        let object = try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any]
        return object?["aps"] as? [String: Any]
    }
}
