import Crypto
import Foundation
import RelayCore
import RelayTesting
import Testing

@Suite(
    .fewAtATime,
    .enabled("needs /usr/sbin/nginx, /usr/bin/curl and /usr/bin/openssl") { Nginx.canRun }
)
struct LeakTests {
    @Test func `G-01, G-04: no log of the relay's or of nginx's holds a secret, in any spelling`() async throws {
        let session = try await LeakSession.shared()
        for (name, log) in session.logs { #expect(session.secrets.found(in: log) == [], "\(name)") }
        // They are the logs of what happened.
        let second = String(decoding: try #require(session.logs["second run"]), as: UTF8.self)
        for event in [
            "push_accepted", "device_gone", "push_failed", "apple_refuses_configuration", "refused", "unsubscribed",
            "stopped",
        ] {
            #expect(second.contains("event=\(event)"), "\(event)")
        }
        for word in ["keyid_length", "malformed_message", "malformed_ttl", "unauthorized", "malformed_body"] {
            #expect(second.contains("error=\(word)"), "\(word)")
        }
        let access = String(decoding: try #require(session.logs["push-access.log"]), as: UTF8.self)
        for line in [
            "POST /wp/* 201", "POST /wp/* 404", "POST /wp/* 502", "GET /subscribe/* 200",
            "POST /subscribe/*/test 200", "DELETE /subscribe/* 204",
        ] {
            #expect(access.contains(line), "\(line)")
        }
        let answers = String(decoding: try #require(session.logs["answers to the app"]), as: UTF8.self)
        for part in [
            #""created_at":"#, #""last_failure":{"at":"#, #""apple":"accepted""#, #""error":"apple_failed""#,
            #""error":"not_found""#, #""error":"unauthorized""#, #""vapid_key_pinned":true"#,
        ] {
            #expect(answers.contains(part), "\(part)")
        }
        #expect(session.secrets.count > 300)
    }

    @Test func `a secret in any of its spellings would be found, wherever it begins`() async throws {
        let secret: [UInt8] = [0xfb, 0xff, 0xbf, 0xef, 0x3e, 0x3f, 0x7f, 0xfe, 0x01, 0x9a, 0xfa]
        var search = SecretSearch()
        search.add("secret", secret)
        #expect(search.found(in: Data("nothing at all".utf8)) == [])
        let hex = Hex.encode(secret)
        for spelling in [Data(secret), Data(hex.utf8), Data(hex.uppercased().utf8)] {
            #expect(search.found(in: Data("x".utf8) + spelling + Data("y".utf8)).count == 1)
        }
        for before in 0..<6 {
            for behind in 0..<6 {
                let around = [UInt8](repeating: 0xa5, count: before) + secret + [UInt8](repeating: 0x5a, count: behind)
                let plain = Data(around).base64EncodedString()
                #expect(!search.found(in: Data(plain.utf8)).isEmpty, "\(plain)")
                #expect(!search.found(in: Data(Base64URL.encode(around).utf8)).isEmpty, "\(plain)")
            }
        }
        // One octet less is another secret.
        #expect(search.found(in: Data(secret.dropLast())) == [])
    }

    @Test func `one secret planted in a log is found there`() async throws {
        let session = try await LeakSession.shared()
        let token = try #require(RelayProgram.subscribeToken.data(using: .utf8))
        for (name, log) in session.logs {
            let half = log.count / 2
            for planted in [token, Data(token.base64EncodedString().utf8)] {
                let found = session.secrets.found(in: log.prefix(half) + planted + log.dropFirst(half))
                #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("subscribe token, ") }, "\(name)")
            }
        }
    }

    @Test func `D-07: what is deleted is in no file of the database's any more once it is stopped`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let (kept, gone) = (freshToken(), freshToken())
        _ = try await relay.subscribe(kept)
        let endpoint = try await relay.subscribe(gone, account: "gone@pixels.example", label: "a label that goes")
        #expect(try await relay.answer("DELETE", endpoint.settings()).status == 204)
        #expect(await relay.stop() == 0)
        var search = SecretSearch()
        search.add("device token", text: gone)
        search.add("auth secret", endpoint.auth.octets)
        search.add("account", "gone@pixels.example".utf8)
        search.add("label", "a label that goes".utf8)
        var files = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: relay.folder.url.path) {
            files += try Data(contentsOf: relay.folder.url.appending(path: name))
        }
        #expect(search.found(in: files) == [])
        #expect(files.range(of: Data("CREATE TABLE".utf8)) != nil)
    }
}

@Suite(.fewAtATime) struct HostileLogTests {
    private static let texts = [
        "a\nlevel=error event=forged", "a\r\nlevel=error event=forged", "\u{1b}[2Ja", "\u{9b}31m", "a\u{2028}b",
        "a\u{2029}b", "a\u{85}b", "a\u{0}b", #"" event=forged x=""#, #"\" event=forged"#, "\u{202e}a", "\u{7f}\u{8}a",
    ]

    @Test(arguments: ["text", "json"])
    func `G-02: no label, account, title, field or path ends a line or colours a terminal`(format: String) async throws
    {
        let relay = try await RelayProgram(apple: .shared(), [.logLevel: "debug", .logFormat: format])
        for text in Self.texts {
            let endpoint = try await relay.subscribe(freshToken(), account: text, label: text)
            let message = try JSONSerialization.data(withJSONObject: ["title": text, "body": text])
            #expect(try await relay.push(String(decoding: message, as: UTF8.self), to: endpoint).status == 201)
            _ = try await relay.answer("POST", "/subscribe", json: #"{"device_token":"\#(text)"}"#)
            _ = try await relay.answer("POST", "/subscribe", json: #"{"\#(text)":"\#(text)"#)
            for head in [
                "POST /wp/\(text) HTTP/1.1\r\nHost: a", "POST \(endpoint.path) HTTP/1.1\r\nHost: a\r\nTopic: \(text)",
                "\(text) / HTTP/1.1\r\nHost: a", "DELETE /subscribe/x HTTP/1.1\r\nHost: a\r\nAuthorization: \(text)",
            ] {
                let client = try HTTPClient(relay.address)
                try await client.send(Array("\(head)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
                _ = try await client.rest()
            }
        }
        #expect(await relay.stop() == 0)
        let known: Set = [
            "database_created", "started", "subscribed", "push_accepted", "refused", "unsubscribed", "stopping",
            "stopped",
        ]
        for line in relay.program.lines {
            #expect(line.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "\(line)")
            #expect(LogLine(line)?.event.map(known.contains) == true, "\(line)")
        }
        let accepted = relay.program.lines.count { LogLine($0)?.event == "push_accepted" }
        #expect(accepted == Self.texts.count)
        #expect(relay.program.errors == [])
    }

    @Test func `G-03: 5,000 requests that are refused are one line a minute for each cause`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let endpoint = try await relay.subscribe(freshToken())
        let id = endpoint.subscription_id
        let app = [("Authorization", "Bearer \(RelayProgram.subscribeToken)")]
        let requests = [
            HTTPRequest("POST", "/wp/unknown", fields: Push.fields, body: [7]),
            HTTPRequest("POST", "/wp/\(id)", fields: Push.fields, body: [7]),
            HTTPRequest("POST", "/wp/\(id)", fields: [("TTL", "x")], body: [7]),
            HTTPRequest("POST", "/wp/\(id)", fields: [("Content-Encoding", "x")], body: [7]),
            HTTPRequest("POST", "/subscribe", body: [7]), HTTPRequest("POST", "/subscribe", fields: app, body: [7]),
            HTTPRequest("DELETE", "/subscribe/unknown", fields: app), HTTPRequest("GET", "/unknown"),
            HTTPRequest("PUT", "/healthz"),
            HTTPRequest("POST", "/subscribe", fields: app, body: Array(#"{"device_token":7}"#.utf8)),
        ]
        let client = try HTTPClient(relay.address)
        for _ in 0..<100 {
            for request in requests { try await client.send(Array(repeatElement(request.octets, count: 5).joined())) }
            for _ in 0..<(5 * requests.count) { #expect(try await client.answer().status != 500) }
        }
        #expect(await relay.stop() == 0)
        let refused = relay.program.lines.filter { LogLine($0)?.event == "refused" }
        let words = refused.compactMap { LogLine($0)?.fields["error"] }
        #expect(
            Set(words) == [
                "not_found", "short_header", "malformed_ttl", "unsupported_coding", "malformed_body",
                "rate_limited",
            ]
        )
        // A run that lasts more than a minute has a second line of each.
        #expect(words.count <= 2 * Set(words).count)
        #expect(relay.program.lines.count { LogLine($0)?.event == "unsubscribed" } == 0)
    }
}
