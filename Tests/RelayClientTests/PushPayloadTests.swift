import RelayClient
import Testing

struct PushPayloadTests {
    static let words: [(word: String, type: NotificationType)] = [
        ("like", .like), ("favourite", .like), ("share", .share), ("reblog", .share), ("follow", .follow),
        ("follow_request", .followRequest), ("mention", .mention), ("comment", .comment), ("direct", .directMessage),
        ("dm", .directMessage), ("direct_message", .directMessage), ("status", .newPost), ("new_post", .newPost),
        ("poll", .poll), ("admin.sign_up", .other("admin.sign_up")), ("Like", .other("Like")),
        (String(repeating: "x", count: 64), .other(String(repeating: "x", count: 64))),
    ]

    @Test(arguments: words)
    func `a word of an instance is a type`(word: String, type: NotificationType) {
        #expect(NotificationType(word) == type)
        #expect(PushPayload(userInfo: ["notification_type": word])?.notificationType == type)
    }

    @Test(arguments: ["", "a b", "a\n", "lïke", "<b>", "../x", "like\u{0}", "１", String(repeating: "x", count: 65)])
    func `what is no word is no type`(text: String) {
        #expect(NotificationType(text) == nil)
        #expect(PushPayload(userInfo: ["notification_type": text]) == nil)
    }

    @Test func `a whole push is read, and aps is not looked at`() throws {
        let userInfo: [AnyHashable: Any] = [
            "aps": ["alert": ["title": "New Like", "body": "…"], "badge": 3], "notification_type": "like",
            "status_id": "988149955134320972", "account_id": "961576165188272129", "account": "alice@pixels.example",
        ]
        let payload = try #require(PushPayload(userInfo: userInfo))
        #expect(payload.notificationType == .like)
        #expect(payload.statusID == "988149955134320972")
        #expect(payload.accountID == "961576165188272129")
        #expect(payload.account == "alice@pixels.example")
        #expect(payload.destination == .status("988149955134320972"))
    }

    @Test func `a push of another's is none`() {
        #expect(PushPayload(userInfo: [:]) == nil)
        #expect(PushPayload(userInfo: ["aps": ["alert": "hello"], "gcm.message_id": "1", 7: "status_id"]) == nil)
    }

    static let destinations: [(type: String?, destination: PushPayload.Destination)] = [
        ("follow", .profile("7")), ("follow_request", .profile("7")), ("direct", .profile("7")), ("dm", .profile("7")),
        ("direct_message", .profile("7")), ("like", .status("9")), ("favourite", .status("9")), ("share", .status("9")),
        ("reblog", .status("9")), ("mention", .status("9")), ("comment", .status("9")), ("poll", .status("9")),
        ("something_new", .status("9")), (nil, .status("9")),
    ]

    @Test(arguments: destinations)
    func `a tap opens the profile of who follows or writes, and else the status`(
        type: String?,
        destination: PushPayload.Destination
    ) throws {
        var userInfo: [AnyHashable: Any] = ["status_id": "9", "account_id": "7"]
        userInfo["notification_type"] = type
        #expect(try #require(PushPayload(userInfo: userInfo)).destination == destination)
    }

    @Test(arguments: ["mention", "like", "comment", "something_new"])
    func `a tap opens the profile where there is no status, as in a direct message of Pixelfed's`(type: String) throws {
        let payload = try #require(PushPayload(userInfo: ["notification_type": type, "account_id": "12"]))
        #expect(payload.destination == .profile("12"))
    }

    @Test(arguments: ["follow", "follow_request", "dm"])
    func `a tap opens nothing where the id that it takes is missing`(type: String) throws {
        let payload = try #require(PushPayload(userInfo: ["notification_type": type, "status_id": "12"]))
        #expect(payload.destination == .none)
    }

    @Test(arguments: ["1", "01HZX3Q4", "9zGfAbc", String(repeating: "9", count: 128)])
    func `an id is letters and digits`(id: String) throws {
        let payload = try #require(PushPayload(userInfo: ["status_id": id, "account_id": id]))
        #expect(payload.statusID == id)
        #expect(payload.accountID == id)
    }

    static let notIDs: [any Sendable] = [
        "", " 1", "1 ", "1/2", "..", "../../admin", "1?x=1", "%31", "-1", "1\n", "1\u{0}", "１２", "é", "a\u{301}",
        String(repeating: "9", count: 129), 12, 12.5, true, ["1"], ["id": "1"], [UInt8](repeating: 0x31, count: 3),
    ]

    @Test(arguments: notIDs.indices)
    func `what is no id is left out`(index: Int) throws {
        let value = Self.notIDs[index]
        let userInfo: [AnyHashable: Any] = ["notification_type": "like", "status_id": value, "account_id": value]
        let payload = try #require(PushPayload(userInfo: userInfo))
        #expect(payload.statusID == nil)
        #expect(payload.accountID == nil)
        #expect(payload.destination == .none)
    }

    @Test func `an account is any text of up to 256 octets without control characters`() {
        for account in ["alice@pixels.example", "Ælice 🦊", String(repeating: "é", count: 128)] {
            #expect(PushPayload(userInfo: ["account": account])?.account == account)
        }
        for account in ["", "a\nb", "a\u{7f}", "\u{85}", String(repeating: "é", count: 128) + "x"] {
            #expect(PushPayload(userInfo: ["account": account]) == nil)
        }
        #expect(PushPayload(userInfo: ["account": 7]) == nil)
    }
}
