import Crypto
import FoundationEssentials

@testable import APNs
@testable import RelayCore
@testable import Store

/// A decrypted text: what Apple gets of it is JSON that fits, and holds what the relay meant it to hold.
func check(_ octets: [UInt8]) {
    let read = outcome { () throws(JSON.Malformed) in try Message(parsing: octets) }
    let again = outcome { () throws(JSON.Malformed) in try Message(parsing: octets) }
    require(again == read, "a text reads the same twice")
    guard case .success(let message) = read else { return }
    require(String(validating: octets, as: UTF8.self) != nil, "what is read is UTF-8")
    require(!message.title.isEmpty || !message.body.isEmpty, "an alert has words")
    require((message.notificationType ?? "").utf8.count <= 64, "types are short")
    for id in [message.statusID, message.accountID] {
        require(id.map { (1...128).contains($0.utf8.count) } ?? true, "ids are short")
    }
    for (account, badge) in zip(accounts, [1, nil, Int(Int32.max)]) { check(message, account: account, badge: badge) }
    let topic = CollapseID.derive(
        SubscriptionID(hashing: [1]),
        topic: nil,
        notificationType: message.notificationType,
        statusID: message.statusID
    )
    require((topic ?? "").utf8.count <= 64 && (topic ?? "").utf8.allSatisfy(Base64URL.isLetter), "a plain collapse-id")
}

/// None, an ordinary one, and the 256 octets that take the most as JSON.
private let accounts = [nil, "alice@pixels.example", String(repeating: "\u{1}", count: 256)]
private let sounds = ["like": "none", "mention": "chime.caf"]
private let table = try? Sounds(parsing: sounds.map { "\($0)=\($1)" }.joined(separator: ","))

private func check(_ message: Message, account: String?, badge: Int?) {
    guard let table else { fatalError("the sounds cannot be read") }
    let sound = table.sound(for: message.notificationType)
    let named = message.notificationType.flatMap { sounds[$0] } ?? "default"
    require(sound == (named == "none" ? nil : named), "the sound is one of the operator's")
    let payload = Payload(
        title: message.title,
        body: message.body,
        badge: badge,
        sound: sound,
        notificationType: message.notificationType,
        accountID: message.accountID,
        statusID: message.statusID,
        account: account
    )
    let sent = payload.encoded()
    require(sent.count <= Payload.longest, "\(sent.count) octets are too many for Apple")
    guard case .object(var members) = StrictJSON.read(sent) else { fatalError("Apple would get no JSON object") }
    guard case .object(var aps) = members.removeValue(forKey: "aps") else { fatalError("there is no aps") }
    guard case .object(let alert) = aps.removeValue(forKey: "alert") else { fatalError("there is no alert") }

    require(members["account"] == account.map { .text($0) }, "the account is the subscription's")
    require(members["notification_type"] == message.notificationType.map { .text($0) }, "the type is the message's")
    require(members["account_id"] == message.accountID.map { .text($0) }, "the account's id is the message's")
    require(members["status_id"] == message.statusID.map { .text($0) }, "the status's id is the message's")
    require(members.keys.allSatisfy(names.contains), "nothing else goes to Apple")
    require(aps["badge"] == badge.map { .number("\($0)") }, "the badge is the relay's")
    require(aps["sound"] == sound.map { .text($0) }, "the sound is the relay's")
    require(Set(aps.keys).isSubset(of: ["badge", "sound"]), "nothing else is in aps")
    require(alert.count == 2, "an alert has a title and a body")
    for (name, whole) in ["title": message.title, "body": message.body] {
        guard case .text(let shown) = alert[name] else { fatalError("there is no \(name)") }
        let isCut = shown.suffix(3).elementsEqual("…".utf8) && whole.utf8.starts(with: shown.dropLast(3))
        require(whole.utf8.elementsEqual(shown) || isCut, "the \(name) is the message's, or its beginning")
    }
}

private let names: Set<String> = ["account", "notification_type", "account_id", "status_id"]
