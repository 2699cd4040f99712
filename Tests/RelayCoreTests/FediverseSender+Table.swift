extension FediverseSender {
    /// Pixelfed's five members: ids as text or null, in PHP's default escapes.
    private static let pixelfed = #"""
        {"notification_type":"like","title":"New Like","body":"\u017b\u00f3\u0142w \ud83d\ude00 liked \/your\/ post",\#
        "account_id":"961576165188272129","status_id":"988149955134320972"}
        """#

    /// Mastodon's members, with a live token and a number for an id.
    private static let mastodon = #"""
        {"access_token":"\#(accessToken)","preferred_locale":"de","notification_id":4711,\#
        "notification_type":"mention","icon":"https://social.example/avatars/original/missing.png",\#
        "title":"You were mentioned by Żółw","body":"@alice hello 🐢"}
        """#

    private static let (mentioned, hello) = ("You were mentioned by Żółw", "@alice hello 🐢")

    /// What minishlink/web-push sends in the present coding.
    private static func minishlink(_ name: String, paddedTo length: Int, octets: Int, ttl: Int64) -> FediverseSender {
        FediverseSender(
            name: name,
            shape: .padded(to: length),
            length: octets,
            namesPort: false,
            subject: "https://pixels.example",
            payload: pixelfed,
            title: "New Like",
            body: "Żółw 😀 liked /your/ post",
            timeToLive: ttl
        ) { parts in
            [
                ("Content-Type", "application/octet-stream"), ("Content-Encoding", "aes128gcm"),
                ("Content-Length", "\(parts.length)"), ("TTL", "\(ttl)"), ("Authorization", parts.vapid),
            ]
        }
    }

    /// What minishlink/web-push sends where a row has no coding, and for Friendica always.
    private static func minishlinkLegacy(
        _ name: String,
        paddedTo length: Int,
        octets: Int,
        subject: String,
        urgency: String?
    ) -> FediverseSender {
        FediverseSender(
            name: name,
            shape: .legacy(paddedTo: length),
            length: octets,
            namesPort: false,
            subject: subject,
            payload: mastodon,
            title: mentioned,
            body: hello,
            timeToLive: 2_419_200
        ) { parts in
            [
                ("Content-Type", "application/octet-stream"), ("Content-Encoding", "aesgcm"),
                ("Encryption", parts.salt), ("Crypto-Key", "\(parts.dh);\(parts.key)"),
                ("Content-Length", "\(parts.length)"), ("TTL", "2419200"),
            ] + (urgency.map { [("Urgency", $0)] } ?? []) + [("Authorization", parts.webPush)]
        }
    }

    static let all: [FediverseSender] = [
        minishlink("Pixelfed, with minishlink v9 and later", paddedTo: 2_820, octets: 2_922, ttl: 2_419_200),
        minishlink("gregrusson/pixelfed", paddedTo: 2_820, octets: 2_922, ttl: 300),
        minishlink("minishlink v5 to v8", paddedTo: 3_052, octets: 3_154, ttl: 2_419_200),
        minishlinkLegacy(
            "the Laravel channel for a row without a coding",
            paddedTo: 2_820,
            octets: 2_838,
            subject: "https://pixels.example",
            urgency: nil
        ),
        minishlinkLegacy("Friendica", paddedTo: 3_052, octets: 3_070, subject: "friends.example", urgency: "normal"),
        FediverseSender(
            name: "Mastodon with standard=true",
            shape: .plain(),
            tokenLifetime: 86_400,
            subject: "mailto:admin@social.example",
            payload: mastodon,
            title: mentioned,
            body: hello,
            timeToLive: 172_800
        ) { parts in
            [
                ("Content-Type", "application/octet-stream"), ("Ttl", "172800"), ("Urgency", "normal"),
                ("Content-Encoding", "aes128gcm"), ("Authorization", parts.tight),
                ("Unsubscribe-URL", "https://social.example/api/web/push_subscriptions/x"),
                ("Content-Length", "\(parts.length)"), ("User-Agent", "Mastodon/4.4.3 (http.rb/5.3.1)"),
            ]
        },
        FediverseSender(
            name: "Mastodon as it is by default",
            shape: .legacy(),
            tokenLifetime: 86_400,
            subject: "mailto:",
            payload: mastodon,
            title: mentioned,
            body: hello,
            timeToLive: 172_800
        ) { parts in
            [
                ("Content-Type", "application/octet-stream"), ("Ttl", "172800"), ("Urgency", "normal"),
                ("Content-Encoding", "aesgcm"), ("Encryption", parts.salt),
                ("Crypto-Key", "\(parts.dh);\(parts.key)"), ("Authorization", parts.webPush),
                ("Unsubscribe-URL", "https://social.example/api/web/push_subscriptions/x"),
                ("Digest", "SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
            ]
        },
        FediverseSender(
            name: "GoToSocial",
            shape: .padded(to: 1_946, recordSize: 2_048),
            length: 2_048,
            subject: "https://gts.example",
            payload: #"""
                {"notification_id":"01J8ZQ5S6M2W4K8V0T3N7R9XYB","notification_type":"favourite","title":"vinz faved",\#
                "body":"your post","icon":"","preferred_locale":"en","access_token":"\#(accessToken)"}
                """#,
            title: "vinz faved",
            body: "your post",
            timeToLive: 172_800
        ) { parts in
            [
                ("Content-Encoding", "aes128gcm"), ("Content-Type", "application/octet-stream"), ("TTL", "172800"),
                ("Authorization", parts.vapid), ("Content-Length", "2048"),
            ]
        },
        pleroma("Pleroma", #""title":"New Mention","#, title: "New Mention", body: "@vinz: hello"),
        pleroma("Pleroma that hides contents", "", title: "", body: "New Mention"),
        FediverseSender(
            name: "Misskey",
            shape: .plain(),
            subject: "https://mk.example",
            payload: #"""
                {"type":"notification","body":{"id":"9x1","createdAt":"2026-01-01T00:00:00.000Z","type":"reaction",\#
                "isRead":false,"userId":"9u1","user":{"id":"9u1","name":null,"username":"vinz","host":null},\#
                "note":{"id":"9n1","text":"hi","user":{"id":"9u2","name":"Alice"}},"reaction":"❤"},"userId":"9u2",\#
                "dateTime":1767225600000}
                """#,
            title: "New reaction",
            body: "vinz",
            timeToLive: 2_419_200
        ) { webPushJS($0, "2419200") },
        FediverseSender(
            name: "web-push (JavaScript)",
            shape: .plain(),
            subject: "mailto:admin@app.example",
            payload: #"{"title":"Hello","body":"world"}"#,
            title: "Hello",
            body: "world",
            timeToLive: 60
        ) { webPushJS($0, "60") },
        FediverseSender(
            name: "pywebpush",
            shape: .plain(),
            subject: "mailto:admin@app.example",
            payload: #"{"title": "Hello", "body": "w\u00f6rld"}"#,
            title: "Hello",
            body: "wörld",
            timeToLive: 0
        ) { parts in
            [
                ("accept-encoding", "gzip, deflate"), ("accept", "*/*"), ("connection", "keep-alive"),
                ("authorization", parts.tight), ("content-encoding", "aes128gcm"), ("ttl", "0"),
                ("content-length", "\(parts.length)"),
            ]
        },
        FediverseSender(
            name: "pywebpush in the old coding",
            shape: .legacy(),
            subject: "mailto:admin@app.example",
            payload: #"{"title": "Hello", "body": "w\u00f6rld"}"#,
            title: "Hello",
            body: "wörld",
            timeToLive: 0
        ) { parts in
            [
                ("crypto-key", "\(parts.dh)"), ("authorization", parts.tight), ("content-encoding", "aesgcm"),
                ("encryption", parts.salt), ("ttl", "0"), ("content-length", "\(parts.length)"),
            ]
        },
        FediverseSender(
            name: "webpush-go",
            shape: .padded(to: 3_994),
            length: 4_096,
            subject: "mailto:admin@app.example",
            payload: #"{"title":"Hello","body":"world"}"#,
            title: "Hello",
            body: "world",
            timeToLive: 30
        ) { parts in
            [
                ("Content-Encoding", "aes128gcm"), ("Content-Type", "application/octet-stream"), ("Ttl", "30"),
                ("Urgency", "high"), ("Authorization", parts.vapid), ("Content-Length", "4096"),
            ]
        },
        FediverseSender(
            name: "the web-push gem of pushpad",
            shape: .exact(zeros: 1),
            namesPort: false,
            subject: "mailto:admin@app.example",
            payload: #"{"title":"Hello","body":"world"}"#,
            title: "Hello",
            body: "world",
            timeToLive: 2_419_200
        ) { parts in
            [
                ("Content-Type", "application/octet-stream"), ("Ttl", "2419200"), ("Urgency", "normal"),
                ("Content-Encoding", "aes128gcm"), ("Content-Length", "\(parts.length)"),
                ("Authorization", parts.tight),
            ]
        },
    ]

    /// elixir-web-push-encryption: no type of content, no urgency, no padding.
    private static func pleroma(_ name: String, _ member: String, title: String, body: String) -> FediverseSender {
        FediverseSender(
            name: name,
            shape: .legacy(),
            namesPort: false,
            subject: "mailto:admin@pleroma.example",
            payload: #"""
                {"access_token":"\#(accessToken)",\#(member)"body":"\#(body)","icon":"https://p.example/a.png",\#
                "notification_id":42,"notification_type":"mention",\#
                "pleroma":{"activity_id":"AbCdEf0123","direct_conversation_id":7},"preferred_locale":"en"}
                """#,
            title: title,
            body: body,
            timeToLive: 0
        ) { parts in
            [
                ("TTL", "0"), ("Content-Encoding", "aesgcm"), ("Encryption", parts.salt),
                ("Crypto-Key", "\(parts.dh);\(parts.key)"), ("Authorization", parts.webPush),
            ]
        }
    }

    private static func webPushJS(_ parts: Parts, _ ttl: String) -> [(name: String, value: String)] {
        [
            ("TTL", ttl), ("Content-Length", "\(parts.length)"), ("Content-Type", "application/octet-stream"),
            ("Content-Encoding", "aes128gcm"), ("Authorization", parts.vapid), ("Urgency", "normal"),
        ]
    }
}
