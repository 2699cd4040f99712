import Foundation
import HTTPServer
import RelayTesting
import Testing

@Suite("POST /wp/{id}: what reaches Apple") struct PushTests {
    @Test func `the alert, the ids as strings, the type and the account reach Apple, and nothing else`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe(account: "alice@pixels.example")
        let message = """
            {"notification_type":"follow_request","title":"New Follow Request","body":"vinz wants to follow you",\
            "account_id":"961576165188272129","status_id":"988149955134320972","access_token":"do-not-forward",\
            "icon":"https://pixels.example/a.png","aps":{"badge":99},"account":"mallory@evil.example"}
            """
        let request = try await relay.accepted(message, to: subscription)
        #expect(
            request.payload == """
                {"account":"alice@pixels.example","account_id":"961576165188272129",\
                "aps":{"alert":{"body":"vinz wants to follow you","title":"New Follow Request"},\
                "badge":1,"sound":"default"},\
                "notification_type":"follow_request","status_id":"988149955134320972"}
                """
        )
        #expect(request.remarks == [])
        #expect(!relay.logLines.joined().contains("do-not-forward"))
    }

    @Test func `an accepted push is answered 201 with an empty body`() async throws {
        let relay = try await TestRelay()
        let response = try await relay.push(to: relay.subscribe())
        #expect(response.status == 201)
        #expect(response.body == [])
    }

    @Test(arguments: [#""status_id":null,"account_id":null,"#, ""])
    func `ids that are null or absent are left out`(ids: String) async throws {
        let relay = try await TestRelay()
        let message = #"{\#(ids)"notification_type":"follow","title":"New Follower","body":"vinz"}"#
        let request = try await relay.accepted(message, to: relay.subscribe())
        #expect(
            request.payload == """
                {"aps":{"alert":{"body":"vinz","title":"New Follower"},"badge":1,"sound":"default"},\
                "notification_type":"follow"}
                """
        )
    }

    @Test func `a subscription without an account sends none`() async throws {
        let relay = try await TestRelay()
        #expect(!(try await relay.accepted(to: relay.subscribe()).payload.contains(#""account":"#)))
    }

    @Test func `an account is echoed octet for octet`() async throws {
        let relay = try await TestRelay()
        let account = #"e\u0301\u0000 \"\\ \u202e 👩‍👩‍👧"#
        let request = try await relay.accepted(to: relay.subscribe(account: account))
        let object = try JSONSerialization.jsonObject(with: Data(request.payload.utf8)) as? [String: Any]
        let echoed = try #require(object?["account"] as? String)
        #expect(Array(echoed.utf8) == Array("e\u{301}\u{0} \"\\ \u{202e} 👩‍👩‍👧".utf8))
    }

    @Test func `an id that arrives as a number is forwarded digit for digit`() async throws {
        let relay = try await TestRelay()
        let message = #"{"title":"t","body":"b","status_id":988149955134320973,"account_id":18446744073709551617}"#
        let request = try await relay.accepted(message, to: relay.subscribe())
        #expect(request.payload.contains(#""status_id":"988149955134320973""#))
        #expect(request.payload.contains(#""account_id":"18446744073709551617""#))
    }

    @Test(arguments: ["1.5", "-3", "1e400", "123456789012345678901234567890123456789", #""""#])
    func `an id that no link could be made of is left out or refused, and never altered`(id: String) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let response = try await relay.push(#"{"title":"t","status_id":\#(id)}"#, to: subscription)
        #expect([201, 400].contains(response.status))
        for request in try await relay.apple.requests(for: subscription.deviceToken) {
            #expect(!request.payload.contains("status_id"))
        }
    }

    @Test func `a text that is too long is cut so that Apple takes the whole, of at most 4,096 octets`() async throws {
        let relay = try await TestRelay()
        let text = String(repeating: #"👩‍👩‍👧 \" / "#, count: 1_000)
        let subscription = try await relay.subscribe(account: String(repeating: "a", count: 256))
        let request = try await relay.accepted(#"{"title":"\#(text)","body":"\#(text)"}"#, to: subscription)
        #expect(request.payloadOctets <= 4_096)
        #expect(request.payloadOctets > 4_000)
        #expect(request.payload.contains("…"))
    }

    @Test(arguments: ["a", "é", "👩‍👩‍👧", "\\u0001", #"\""#, "/"])
    func `a body gives way before a title of 200 characters, and is cut between two of them`(
        character: String
    ) async throws {
        let relay = try await TestRelay()
        let title = String(repeating: "t", count: 200)
        let body = String(repeating: character, count: 60_000 / character.utf8.count)
        let request = try await relay.accepted(#"{"title":"\#(title)","body":"\#(body)"}"#, to: relay.subscribe())
        #expect(request.payload.contains(#""title":"\#(title)""#))
        // One more would not have fitted.
        #expect((4_096 - 2 * character.utf8.count...4_096).contains(request.payloadOctets))
        let object = try JSONSerialization.jsonObject(with: Data(request.payload.utf8)) as? [String: Any]
        let alert = (object?["aps"] as? [String: Any])?["alert"] as? [String: String]
        let cut = try #require(alert?["body"])
        #expect(cut.last == "…")
        #expect(Set(cut.dropLast()).count == 1)
    }

    @Test func `of a title that is too long 200 characters stay, and the whole body where it fits`() async throws {
        let relay = try await TestRelay()
        let title = String(repeating: "t", count: 5_000)
        let request = try await relay.accepted(#"{"title":"\#(title)","body":"vinz: nice"}"#, to: relay.subscribe())
        let kept = title.prefix(200) + "…"
        #expect(request.payload.contains(#""alert":{"body":"vinz: nice","title":"\#(kept)"}"#))
    }

    @Test(arguments: [(128, true), (129, false), (5_000, false)])
    func `an id of absurd length is left out rather than the text`(length: Int, isKept: Bool) async throws {
        let relay = try await TestRelay()
        let id = String(repeating: "9", count: length)
        let body = String(repeating: "b", count: 3_000)
        let message = #"{"title":"New Comment","body":"\#(body)","status_id":"\#(id)","account_id":"\#(id)"}"#
        let request = try await relay.accepted(message, to: relay.subscribe())
        #expect(request.payload.contains(#""status_id":"\#(id)""#) == isKept)
        #expect(request.payload.contains("account_id") == isKept)
        #expect(request.payload.contains(body))
    }

    @Test func `the longest ids, type and account that are taken still leave room for a text`() async throws {
        let relay = try await TestRelay()
        let control = String(repeating: #"\u0001"#, count: 256)
        let id = String(repeating: #"\u0001"#, count: 128)
        let message = """
            {"title":"New Comment","body":"vinz: nice","notification_type":"\(control)",\
            "status_id":"\(id)","account_id":"\(id)"}
            """
        let request = try await relay.accepted(message, to: relay.subscribe(account: control))
        #expect(request.payloadOctets <= 4_096)
        #expect(request.payload.contains("vinz: nice"))
    }

    @Test func `escapes, escaped keys and surrogate pairs are read as JSON has them`() async throws {
        let relay = try await TestRelay()
        let message = #"{"\u0074itle":"\ud83d\ude00 \/","body":"\u00e9"}"#
        let request = try await relay.accepted(message, to: relay.subscribe())
        #expect(request.payload.contains(#""alert":{"body":"é","title":"😀 /"}"#))
    }

    @Test(arguments: [
        ("like", "like"), ("like", "favourite"), ("share", "reblog"), ("like", "reblog"),
    ])
    func `likes and boosts of one status share a collapse id of at most 64 octets`(
        one: String,
        other: String
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let first = try await relay.accepted(message(one, status: "1"), to: subscription)
        let second = try await relay.accepted(message(other, status: "1"), to: subscription)
        let collapseID = try #require(first.headers["apns-collapse-id"])
        #expect(collapseID == second.headers["apns-collapse-id"])
        #expect(collapseID.utf8.count <= 64)
    }

    @Test func `likes of two statuses, or of one id on two accounts, do not collapse`() async throws {
        let relay = try await TestRelay()
        let device = freshToken()
        let alice = try await relay.subscribe(device, account: "alice")
        let bob = try await relay.subscribe(device, account: "bob")
        let ids = [
            try await relay.accepted(message("like", status: "1"), to: alice).headers["apns-collapse-id"],
            try await relay.accepted(message("like", status: "2"), to: alice).headers["apns-collapse-id"],
            try await relay.accepted(message("like", status: "1"), to: bob).headers["apns-collapse-id"],
        ]
        #expect(Set(ids).count == 3)
        #expect(!ids.contains(nil))
    }

    @Test(arguments: ["follow", "follow_request", "mention", "comment", "poll", "", "Like"])
    func `everything else stands alone`(type: String) async throws {
        let relay = try await TestRelay()
        let request = try await relay.accepted(message(type, status: "1"), to: relay.subscribe())
        #expect(request.headers["apns-collapse-id"] == nil)
    }

    @Test func `a like of no status stands alone`() async throws {
        let relay = try await TestRelay()
        let request = try await relay.accepted(#"{"notification_type":"like","title":"t"}"#, to: relay.subscribe())
        #expect(request.headers["apns-collapse-id"] == nil)
    }

    @Test(arguments: [
        ("like", nil), ("mention", "chime.caf"), ("comment", "default"), ("follow", "default"),
        ("unheard-of", "default"),
    ])
    func `the sound is default unless SOUNDS names another or none for the type`(
        type: String,
        sound: String?
    ) async throws {
        let relay = try await TestRelay(sounds: "like=none, mention=chime.caf")
        let payload = try await relay.accepted(message(type, status: "1"), to: relay.subscribe()).payload
        if let sound { #expect(payload.contains(#""sound":"\#(sound)""#)) } else { #expect(!payload.contains("sound")) }
    }

    @Test(arguments: [("0", 0), ("60", 60), ("2419200", 2_419_200), ("99999999999", 2_592_000)])
    func `a TTL becomes the moment at which Apple stops trying, 30 days at most`(
        ttl: String,
        seconds: Int64
    ) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let fields = [(name: "Content-Encoding", value: "aes128gcm"), (name: "TTL", value: ttl)]
        #expect(try await relay.push(to: subscription, fields: fields).status == 201)
        let request = try await relay.apple.firstRequest(for: subscription.deviceToken)
        let expected = seconds == 0 ? 0 : relay.clock.now + seconds
        #expect(request.headers["apns-expiration"] == "\(expected)")
    }

    @Test func `a message without a TTL is kept for 28 days`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let fields = [(name: "Content-Encoding", value: "aes128gcm")]
        #expect(try await relay.push(to: subscription, fields: fields).status == 201)
        let request = try await relay.apple.firstRequest(for: subscription.deviceToken)
        #expect(request.headers["apns-expiration"] == "\(relay.clock.now + 28 * 86_400)")
    }

    @Test func `each notification has an apns-id of its own`() async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        let first = try await relay.accepted(to: subscription).headers["apns-id"]
        let second = try await relay.accepted(to: subscription).headers["apns-id"]
        #expect(first != nil)
        #expect(first != second)
    }

    private func message(_ type: String, status: String) -> String {
        #"{"notification_type":"\#(type)","title":"t","body":"b","status_id":"\#(status)"}"#
    }
}
