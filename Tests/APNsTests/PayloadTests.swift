import APNs
import Foundation
import Testing

/// A text made of one character, many times.
private func many(_ character: String, _ count: Int) -> String { String(repeating: character, count: count) }

private struct Decoded: Decodable {
    let aps: Aps
    struct Aps: Decodable { let alert: Alert }
    struct Alert: Decodable {
        let title: String
        let body: String
    }
}

@Suite("Apple: the payload") struct PayloadTests {
    @Test func `everything has its place and ids are strings`() throws {
        let payload = Payload(
            title: "New Like",
            body: "vinz liked your post",
            badge: 3,
            sound: "default",
            notificationType: "like",
            accountID: "961576165188272129",
            statusID: "988149955134320972",
            account: "alice@pixels.example/é"
        )
        let expected = """
            {"account":"alice@pixels.example/é","account_id":"961576165188272129",\
            "aps":{"alert":{"body":"vinz liked your post","title":"New Like"},"badge":3,"sound":"default"},\
            "notification_type":"like","status_id":"988149955134320972"}
            """
        #expect(String(decoding: payload.encoded(), as: UTF8.self) == expected)
    }

    @Test func `what is nil is left out`() throws {
        let payload = Payload(title: "a", body: "b").encoded()
        #expect(String(decoding: payload, as: UTF8.self) == #"{"aps":{"alert":{"body":"b","title":"a"}}}"#)
    }

    @Test func `a body that just fits is not touched and one octet more is cut`() throws {
        let room = Payload.longest - Payload(title: "a", body: "").encoded().count
        let fits = Payload(title: "a", body: many("x", room)).encoded()
        #expect(fits.count == 4_096)
        #expect(!String(decoding: fits, as: UTF8.self).contains("…"))
        let cut = Payload(title: "a", body: many("x", room + 1)).encoded()
        #expect(cut.count == 4_096)
        #expect(String(decoding: cut, as: UTF8.self).contains(#"x…""#))
    }

    @Test(arguments: ["x", "é", "e\u{301}", "👩‍👩‍👧‍👦", "🇩🇪", "\"", "\\", "/", "\n", "\u{1}", "漢"])
    func `a longer text is cut between characters and uses the room there is`(character: String) throws {
        for (title, body) in [
            ("t", many(character, 5_000)), (many(character, 5_000), "b"),
            (many(character, 3_000), many(character, 3_000)),
        ] {
            let octets = Payload(title: title, body: body, badge: 7, sound: "default").encoded()
            #expect(octets.count <= 4_096)
            let alert = try JSONDecoder().decode(Decoded.self, from: Data(octets)).aps.alert
            for (text, original) in [(alert.title, title), (alert.body, body)] where text != original {
                #expect(text.hasSuffix("…"))
                #expect(original.hasPrefix(text.dropLast()))
                #expect(text.dropLast().allSatisfy { String($0) == character })
            }
        }
    }

    @Test(arguments: ["\u{0}", "\u{1}", "\u{1f}"])
    func `one octet too many goes with a last character that only JSON makes long`(last: String) throws {
        let room = Payload.longest - Payload(title: "t", body: "").encoded().count
        let text = String(repeating: "a", count: room - 5)
        let encoded = Payload(title: "t", body: text + last).encoded()
        #expect(encoded == Payload(title: "t", body: text + "…").encoded())
        #expect(encoded.count == Payload.longest - 2)
    }

    @Test func `the body gives way before a title of ordinary length`() throws {
        let octets = Payload(title: "vinz commented on your post", body: many("x", 60_000)).encoded()
        let alert = try JSONDecoder().decode(Decoded.self, from: Data(octets)).aps.alert
        #expect(alert.title == "vinz commented on your post")
        #expect(octets.count == 4_096)
    }

    @Test func `one character that is longer than everything is replaced by the mark alone`() throws {
        let zalgo = "a" + many("\u{301}", 5_000)
        let octets = Payload(title: zalgo, body: zalgo).encoded()
        let alert = try JSONDecoder().decode(Decoded.self, from: Data(octets)).aps.alert
        #expect(alert.title == "…")
        #expect(alert.body == "…")
    }
}

@Suite struct DeviceTokenTests {
    @Test(arguments: [16, 64, 200, 400])
    func `16 to 400 hexadecimal digits are a token`(length: Int) {
        #expect(DeviceToken(parsing: many("a", length).utf8)?.hex == many("a", length))
    }

    @Test func `digits of either case are one token`() {
        #expect(DeviceToken(parsing: "ABCDEF0123456789".utf8) == DeviceToken(parsing: "abcdef0123456789".utf8))
    }

    @Test(arguments: [
        "", "ab", many("a", 14), many("a", 17), many("a", 402), "../../3/device/abcdef", "abcdef012345678g",
        "abcdef01 3456789", "abcdef0123456789\r\n", "ａbcdef012345678", "abcdef012345678?", "%61bcdef01234567",
    ])
    func `anything else is none`(text: String) {
        #expect(DeviceToken(parsing: text.utf8) == nil)
    }

    @Test func `a token does not describe itself`() throws {
        let token = try #require(DeviceToken(parsing: "abcdef0123456789".utf8))
        #expect(!"\(token)".contains("abcdef"))
    }
}
