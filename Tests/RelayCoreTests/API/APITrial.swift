import APNs
import Crypto
import Foundation
import RelayTesting
import Testing
import WebPush

@testable import HTTPServer
@testable import RelayCore
@testable import Store

/// One operation of the document, put to the real routes and the real parser: rightly, and wrongly in every way that
/// shows from outside.
struct APITrial {
    let template: String
    /// In upper case.
    let method: String
    let operation: APIDocument.Operation
    /// Those that the document has for the same path, in upper case.
    let methods: Set<String>

    static let allMethods: Set = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW", "get", "post",
    ]

    private var isPush: Bool { template == "/wp/{id}" }
    private var isForTheApp: Bool { operation.security == [["subscribeToken": []]] }

    func path(_ id: String) -> String { template.replacing("{id}", with: id) }

    // MARK: Requests that are right

    /// The answers to the document's own requests, by the name of the example.
    func answersToExamples() async throws -> [String: Response] {
        guard let content = operation.requestBody?.content["application/json"] else {
            let relay = try await TestRelay()
            return try await ["": rightly(relay, relay.subscribe())]
        }
        var answers: [String: Response] = [:]
        for (name, example) in content.examples {
            let relay = try await TestRelay()
            let id = try await relay.subscribe().id
            answers[name] = await send(relay, path(id), body: Array(example.value.utf8))
        }
        return answers
    }

    /// The answer to a request that is as it should be.
    private func rightly(_ relay: TestRelay, _ subscription: TestSubscription) async throws -> Response {
        if isPush {
            let fields = operation.parameters.compactMap { parameter in
                parameter.place == "header" ? parameter.example.map { (name: parameter.name, value: $0.text) } : nil
            }
            return try await relay.push(TestRelay.freshComment(), to: subscription, fields: fields)
        }
        let example = operation.requestBody?.content["application/json"]?.examples.values.first
        return await send(relay, path(subscription.id), body: Array((example?.value ?? "").utf8))
    }

    private func send(
        _ relay: TestRelay,
        _ path: String,
        method other: String? = nil,
        fields: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) async -> Response {
        let token = isForTheApp ? [(name: "Authorization", value: "Bearer \(TestRelay.subscribeToken)")] : []
        return await relay.request(other ?? method, path, fields: token + fields, body: body)
    }

    // MARK: Requests that are wrong, and a relay that is not well

    /// Every answer that the routes give.
    func answersOfRoutes() async throws -> [Response] {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        var answers = try await [rightly(relay, subscription)]
        answers.append(await relay.request(method, path(subscription.id), body: Array("{}".utf8)))
        for other in Self.allMethods.subtracting(methods) {
            answers.append(await send(relay, path(subscription.id), method: other))
        }
        if template.contains("{id}") {
            answers.append(await send(relay, path("%41"), body: Array(#"{"count":1,"enabled":true}"#.utf8)))
            answers.append(await send(relay, path("nobody"), body: Array(#"{"count":1,"enabled":true}"#.utf8)))
        }
        if operation.requestBody != nil {
            answers.append(await send(relay, path(subscription.id), body: Array("{}".utf8)))
        }
        if isPush { answers += try await answersToWrongPushes(relay) }
        answers += try await answersOfBrokenRows()

        let narrow = try await TestRelay(burst: 1, maxSubscriptions: 2, registrationsPerHour: 3)
        let other = try await narrow.subscribe()
        for _ in 0..<4 { try await answers.append(rightly(narrow, other)) }
        let full = try await TestRelay(maxSubscriptions: 1)
        try await answers.append(rightly(full, full.subscribe()))

        let folder = try TemporaryFolder()
        let plan = BackupPlan(directory: folder.path("backups"), interval: .seconds(60), keep: 1)
        let late = try await TestRelay(backups: plan)
        let third = try await late.subscribe()
        late.clock.advance(by: 121)
        try await answers.append(rightly(late, third))

        try await relay.store.close()
        try await answers.append(rightly(relay, subscription))
        return answers
    }

    private func answersToWrongPushes(_ relay: TestRelay) async throws -> [Response] {
        let subscription = try await relay.subscribe()
        var answers: [Response] = []
        for (name, value) in [
            ("TTL", "-1"), ("Urgency", "now"), ("Topic", "a b"), ("Content-Encoding", "gzip"),
            ("Encryption", "salt=AAAAAAAAAAAAAAAAAAAAAA"), ("Crypto-Key", "dh=AAAA"),
        ] {
            answers.append(try await relay.push(to: subscription, fields: [(name, value)]))
        }
        let example = try #require(operation.requestBody?.content["application/octet-stream"]?.examples.values.first)
        let octets = try #require(Base64URL.decode(example.value.utf8))
        for body in [octets, [1]] {
            answers.append(
                await relay.request("POST", subscription.path, fields: [("Content-Encoding", "aes128gcm")], body: body)
            )
        }
        answers.append(try await relay.push("{}", to: subscription))
        let refused = try await relay.subscribe(freshToken("fa119"))
        answers.append(try await relay.push(to: refused))
        let busy = try await TestRelay { $0.longestQueue = 0 }
        answers.append(try await busy.push(to: busy.subscribe()))
        let key = try VAPIDSigner().publicKey
        let pinned = try await TestSubscription(
            relay.app("POST", "/subscribe", #"{"device_token":"\#(freshToken())","vapid_key":"\#(key)"}"#),
            deviceToken: ""
        )
        answers.append(try await relay.push(to: pinned))
        return answers
    }

    /// For a row whose key cannot be read, and one whose device token is none.
    private func answersOfBrokenRows() async throws -> [Response] {
        let relay = try await TestRelay()
        let keys = try ReceiverKeys()
        for (name, privateKey, deviceToken) in [
            ("keyless", [], freshToken()), ("nowhere", keys.privateKey.scalar, "none"),
        ] {
            let registration = Registration(
                id: SubscriptionID(hashing: Array(name.utf8)),
                deviceToken: deviceToken,
                account: "",
                label: "",
                privateKey: privateKey,
                publicKey: keys.privateKey.publicPoint,
                authSecret: keys.authSecret,
                createdAt: 0
            )
            _ = try await relay.store.register(registration)
        }
        return try await [
            rightly(relay, TestSubscription(id: "keyless", keys: keys)),
            rightly(relay, TestSubscription(id: "nowhere", keys: keys)),
        ]
    }

    // MARK: Requests that never reach the routes

    /// Every answer of the listener itself.
    func answersOfListener() -> [Response] {
        let limit = operation.bodyLimit
        let wrong = [
            ("", ""), ("Host: x\r\nExpect: cake\r\n", ""), ("Host: x\r\nTransfer-Encoding: gzip\r\n", ""),
            ("Host: x\r\nA: \(String(repeating: "a", count: 17_000))\r\n", ""), ("Host: x\r\n", " HTTP/2.0"),
            ("Host: x\r\n", String(repeating: "a", count: 9_000) + " HTTP/1.1"), ("Host: x\r\n", ""),
            ("Host: x\r\nContent-Length: \(limit + 1)\r\n", ""),
        ].compactMap { fields, end in refusal(fields, end.isEmpty ? " HTTP/1.1" : end) }
        // These two come with time, or with load.
        return (wrong + [.requestTimeout, .handlerTimeout]).map(\.response)
    }

    /// What the listener says to a request before the routes see it; nil where they do.
    func refusal(_ fields: String, _ end: String = " HTTP/1.1") -> Refusal? {
        var parser = RequestParser(limits: Limits(), bodyRule: Routes.bodyRule)
        var input = Array("\(method) \(path("some-id"))\(end)\r\n\(fields)\r\n".utf8)[...]
        do throws(Refusal) {
            _ = try parser.consume(&input)
            return nil
        } catch {
            return error
        }
    }
}
