import Crypto
import Foundation
import RelayTesting
import Testing

/// pywebpush and http-ece, which share no code with this project, in the place of an instance.
@Suite(.fewAtATime, .enabled("needs pywebpush in .build/python") { ForeignSender.isInstalled })
struct ForeignSenderTests {
    /// The sizes of a text around what senders pad to and what a record holds: 2,820 and 4,079.
    private static let sizes = [12, 2_819, 2_820, 3_993, 4_078, 4_079]

    /// A message of exactly so many octets.
    private func message(octets: Int) -> String {
        #"{"body":"\#(String(repeating: "b", count: octets - 11))"}"#
    }

    @Test(arguments: ForeignSender.Library.allCases, ForeignSender.Coding.allCases)
    fileprivate func `a text arrives word for word`(
        library: ForeignSender.Library,
        coding: ForeignSender.Coding
    ) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let endpoint = try await relay.subscribe(device, account: "alice@pixels.example")
        let message = #"{"notification_type":"comment","title":"New Comment","body":"Żółw 🐢","status_id":"7"}"#
        let sender = ForeignSender(library: library, coding: coding)
        #expect(try await sender.send(message, to: endpoint, of: relay) == "201")
        #expect(
            try await apple.requests(for: device).map(\.payload) == [
                """
                {"account":"alice@pixels.example","aps":{"alert":{"body":"Żółw 🐢","title":"New Comment"},\
                "badge":1,"sound":"default"},"notification_type":"comment","status_id":"7"}
                """
            ]
        )
    }

    @Test(arguments: ForeignSender.Library.allCases, ForeignSender.Coding.allCases)
    fileprivate func `a message of any size that one record holds arrives, and of two records it is refused`(
        library: ForeignSender.Library,
        coding: ForeignSender.Coding
    ) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        let sender = ForeignSender(library: library, coding: coding)

        // One octet is opened, and no message.
        #expect(try await sender.send("1", to: endpoint, of: relay) == "400 malformed_message")
        for size in Self.sizes {
            #expect(try await sender.send(message(octets: size), to: endpoint, of: relay) == "201", "\(size) octets")
        }
        #expect(try await sender.send(message(octets: 5_000), to: endpoint, of: relay) == "400 multiple_records")

        let requests = try await apple.requests(for: device)
        #expect(requests.map(\.badge) == Array(1...Self.sizes.count))
        for (size, request) in zip(Self.sizes, requests) {
            let text = String(repeating: "b", count: size - 11)
            #expect(request.payloadOctets <= 4_096)
            // What Apple has no room for is cut, and everything else is whole.
            #expect(request.payload.contains(#""body":"\#(text)""#) == (size <= 3_993), "\(size) octets")
        }
    }

    @Test(arguments: ForeignSender.Library.allCases, ForeignSender.Coding.allCases)
    fileprivate func `a subscription for one sender takes its signature in both schemes, and no other's`(
        library: ForeignSender.Library,
        coding: ForeignSender.Coding
    ) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = freshToken()
        let key = try P256PrivateKey()
        let endpoint = try await relay.subscribe(device, vapidKey: key.publicPoint)
        for scheme in ForeignSender.Scheme.allCases {
            var sender = ForeignSender(library: library, coding: coding, scheme: scheme)
            sender.audience = "https://push.example.org"
            #expect(try await sender.send(Push.like, to: endpoint, of: relay) == "403 vapid_other_key")
            sender.key = key
            #expect(try await sender.send(Push.like, to: endpoint, of: relay) == "201")
            sender.audience = "https://push.example.org:443"
            #expect(try await sender.send(Push.like, to: endpoint, of: relay) == "201")
            sender.audience = "https://push.example.com"
            #expect(try await sender.send(Push.like, to: endpoint, of: relay) == "403 vapid_other_audience")
        }
        #expect(try await apple.requests(for: device).map(\.badge) == [1, 2, 3, 4])
    }

    @Test(arguments: ForeignSender.Coding.allCases)
    fileprivate func `a subscription for one sender refuses what nobody signed`(
        coding: ForeignSender.Coding
    ) async throws {
        let relay = try await RelayProgram(apple: .shared())
        let endpoint = try await relay.subscribe(freshToken(), vapidKey: P256PrivateKey().publicPoint)
        let sender = ForeignSender(library: .httpECE, coding: coding)
        #expect(try await sender.send(Push.like, to: endpoint, of: relay) == "401 vapid_missing")
    }
}

/// One way to run `send_webpush.py`.
private struct ForeignSender: Sendable {
    enum Library: String, CaseIterable, Sendable {
        case pywebpush
        case httpECE = "http-ece"
    }

    enum Coding: String, CaseIterable, Sendable { case aes128gcm, aesgcm }

    enum Scheme: String, CaseIterable, Sendable { case vapid, webpush }

    let library: Library
    let coding: Coding
    var scheme = Scheme.vapid
    /// Nil for one of the sender's own.
    var key: P256PrivateKey?
    var audience: String?

    private static let python = Vectors.repository.appending(path: ".build/python/bin/python").path
    private static let script = Vectors.repository.appending(path: "Tests/Simulators/send_webpush.py").path

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: python) }

    /// Sends a message of one line; the status, and behind a space the word of an error.
    func send(_ message: String, to endpoint: Endpoint, of relay: RelayProgram) async throws -> String {
        var arguments = ["--library", library.rawValue, "--coding", coding.rawValue, "--scheme", scheme.rawValue]
        if let key { arguments.append("--key=\(Base64URL.encode(key.scalar))") }
        if let audience { arguments += ["--audience", audience] }
        arguments += [
            "--", "http://\(relay.address)\(endpoint.path)", Base64URL.encode(endpoint.p256dh.octets),
            Base64URL.encode(endpoint.auth.octets),
        ]
        let program = try Program(Self.python, [Self.script] + arguments)
        try program.say(message)
        let code = await program.end()
        try #require(code == 0, "\(program.errors.joined(separator: "\n"))")
        return program.lines.joined(separator: "\n")
    }
}
