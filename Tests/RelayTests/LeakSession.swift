import Crypto
import Foundation
import Glibc
import RelayCore
import RelayTesting
import Store
import Testing

/// One life of a relay at `debug` behind nginx, with every outcome that there is, and every secret that was in it.
struct LeakSession {
    static let title = "A title for one pair of eyes"
    static let text = "A text for one pair of eyes"
    static let account = "alice@pixels.example"
    static let label = "Alice's secret phone"
    static let accessToken = "access-token-of-alice-at-her-instance"

    /// What both runs of the relay said, what nginx wrote, and what the app was told of its subscriptions.
    private(set) var logs: [String: Data] = [:]
    /// What is not to be read in the logs.
    private(set) var secrets = SecretSearch()
    /// The part of it that is not to be read in the database either, but for the account and the label.
    private(set) var atRest = SecretSearch()
    let folder: TemporaryFolder

    private static let once = Task { try await LeakSession() }
    static func shared() async throws -> LeakSession { try await once.value }

    private init() async throws {
        let apple = try await AppleSimulator()
        folder = try TemporaryFolder()
        let signer = try VAPIDSigner()
        let devices = ["ab", "dead", "bad0", "fa119", "c0de13", "c105", "4e5ecf", "ab"].map { freshToken($0) }

        let first = try await RelayProgram(apple: apple, in: folder, [.logLevel: "debug"])
        var endpoints: [Endpoint] = []
        for device in devices {
            let key = endpoints.count == 7 ? signer.key.publicPoint : nil
            endpoints.append(
                try await first.subscribe(device, account: Self.account, label: Self.label, vapidKey: key)
            )
        }
        #expect(await first.stop() == 0)
        try await addSecrets(endpoints, devices, signer, apple)

        let relay = try await RelayProgram(apple: apple, in: folder, [.logLevel: "debug"])
        let nginx = try await Nginx(before: relay)
        for endpoint in endpoints { try await use(endpoint, through: nginx) }
        try await sign(endpoints[7], signer, through: nginx)
        var answers = ""
        for endpoint in endpoints { answers += try await ask(about: endpoint, at: relay) }
        answers += try await settle(endpoints[0], through: nginx)
        logs["answers to the app"] = Data(answers.utf8)
        #expect(await relay.stop() == 0)
        // nginx has something to complain about: the relay is gone.
        _ = try await nginx.push(Array(repeating: 7, count: 100), to: endpoints[0].endpoint)
        #expect(await nginx.stop() == 0)

        addProviderToken()
        logs["first run"] = Self.said(by: first)
        logs["second run"] = Self.said(by: relay)
        for name in ["push-access.log", "push-error.log"] {
            logs[name] = try Data(contentsOf: nginx.folder.url.appending(path: name))
        }
    }

    private static func said(by relay: RelayProgram) -> Data {
        Data((relay.program.lines + relay.program.errors).joined(separator: "\n").utf8)
    }

    private mutating func addSecrets(
        _ endpoints: [Endpoint],
        _ devices: [String],
        _ signer: VAPIDSigner,
        _ apple: AppleSimulator
    ) async throws {
        let store = try Store(StoreFiles(database: folder.path("relay.sqlite")))
        for (number, endpoint) in endpoints.enumerated() {
            let id = SubscriptionID(hashing: Array(endpoint.subscription_id.utf8))
            let row = try #require(try await store.subscription(id))
            addEverywhere("device token \(number)", text: devices[number])
            addEverywhere("id \(number)", text: endpoint.subscription_id)
            addEverywhere("auth secret \(number)", endpoint.auth.octets)
            addEverywhere("private key \(number)", row.privateKey)
        }
        try await store.close()
        let pem = try Data(contentsOf: URL(filePath: apple.ready.key))
        addEverywhere("scalar of the .p8", try P256PrivateKey(pem: Array(pem)).scalar)
        addEverywhere("key of the instance", signer.key.scalar)
        for (name, text) in [
            ("subscribe token", RelayProgram.subscribeToken), ("title", Self.title), ("text", Self.text),
            ("access token", Self.accessToken),
        ] {
            addEverywhere(name, Array(text.utf8))
        }
        secrets.add("account", Self.account.utf8)
        secrets.add("label", Self.label.utf8)
    }

    private mutating func addEverywhere(_ name: String, _ octets: [UInt8]) {
        secrets.add(name, octets)
        atRest.add(name, octets)
    }

    private mutating func addEverywhere(_ name: String, text: String) {
        secrets.add(name, text: text)
        atRest.add(name, text: text)
    }

    /// The one place where it is meant to lie, for the next start: see README.md.
    private mutating func addProviderToken() {
        let path = folder.path("relay.sqlite.provider-token")
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        let content = (try? JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path)))) as? [String: Any]
        guard let token = content?["token"] as? String else {
            Issue.record("there is no provider token beside the database")
            return
        }
        for part in token.split(separator: ".").dropFirst() { addEverywhere("provider token", text: String(part)) }
    }

    /// Pushes of all kinds, with and without a message in them.
    private func use(_ endpoint: Endpoint, through nginx: Nginx) async throws {
        let message = """
            {"notification_type":"mention","title":"\(Self.title)","body":"\(Self.text)",\
            "access_token":"\(Self.accessToken)"}
            """
        let id = endpoint.subscription_id
        let body = try Push.body(message.utf8, for: endpoint)
        _ = try await nginx.push(
            body,
            to: endpoint.endpoint,
            ["-A", "agent of \(id)", "-e", "https://x.example/\(id)"]
        )
        for wrong in [#"{"title":7,"body":"\#(Self.text)"}"#, Self.text] {
            _ = try await nginx.push(try Push.body(wrong.utf8, for: endpoint), to: endpoint.endpoint)
        }
        _ = try await nginx.push(Array(message.utf8), to: endpoint.endpoint)
        _ = try await nginx.push(body, to: endpoint.endpoint, ["-H", "TTL: \(id)", "-H", "Topic: \(Self.title)"])
        _ = try await nginx.push(Array(repeating: 7, count: 65_537), to: endpoint.endpoint)
        let origin = "https://push.example.org"
        _ = try await nginx.curl("\(origin)/wp/\(id)?id=\(id)", "\(origin)/\(id)", "\(origin)/subscribe/\(id)/\(id)")
        _ = try await nginx.plainCurl("http://push.example.org/wp/\(id)")
    }

    /// A sender who signs: as it should, for somebody else, and too late.
    private func sign(_ endpoint: Endpoint, _ signer: VAPIDSigner, through nginx: Nginx) async throws {
        let body = try Push.body(Push.like.utf8, for: endpoint)
        let now = Int64(Date.now.timeIntervalSince1970)
        for (audience, expiration) in [
            ("https://push.example.org", now + 600), ("https://x.example", now + 600), ("https://push.example.org", 7),
        ] {
            let token = try signer.token(audience: audience, expiration: expiration)
            _ = try await nginx.push(body, to: endpoint.endpoint, ["-H", "Authorization: \(signer.vapid(token))"])
        }
    }

    /// The app asks how it stands with a subscription, before and after a test, and so does a stranger.
    private func ask(about endpoint: Endpoint, at relay: RelayProgram) async throws -> String {
        var answers = ""
        for (method, path) in [
            ("GET", endpoint.settings()), ("POST", endpoint.settings("test")), ("GET", endpoint.settings()),
        ] {
            for token in [RelayProgram.subscribeToken, endpoint.subscription_id] {
                let answer = try await relay.answer(method, path, token: token)
                answers += answer.fields.map { "\($0.name): \($0.value)\n" }.joined() + answer.text + "\n"
            }
        }
        return answers
    }

    /// The app's calls, with the token and with a wrong one, and the end; what was said to it of the subscription.
    private func settle(_ endpoint: Endpoint, through nginx: Nginx) async throws -> String {
        let token = "Authorization: Bearer \(RelayProgram.subscribeToken)"
        let url = "https://push.example.org\(endpoint.settings())"
        for field in [token, "Authorization: Bearer \(endpoint.subscription_id)"] {
            for (route, body) in [("read", ""), ("unread", #"{"count":7}"#), ("badges", #"{"enabled":true}"#)] {
                _ = try await nginx.curl("-H", field, "-d", body, "\(url)/\(route)")
            }
            let wrong = #"{"device_token":"\#(endpoint.subscription_id)","label":"\#(Self.label)"}"#
            _ = try await nginx.curl("-H", field, "-d", wrong, "https://push.example.org/subscribe")
        }
        let status = try await nginx.curl("-H", token, url)
        let test = try await nginx.curl("-H", token, "-X", "POST", "\(url)/test")
        #expect(try await nginx.curl("-H", token, "-X", "DELETE", url).statuses == [204])
        return status.body + test.body
    }
}
