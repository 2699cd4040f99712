import Crypto
import Foundation
import RelayTesting
import Testing

/// pywebpush, which shares no code with this project, in the place of Pixelfed.
@Suite(.fewAtATime) struct ForeignSenderTests {
    private static let python = Vectors.repository.appending(path: ".build/python/bin/python").path
    private static let script = Vectors.repository.appending(path: "Tests/Simulators/send_webpush.py").path

    @Test(.enabled("needs pywebpush in .build/python") { FileManager.default.isExecutableFile(atPath: python) })
    func `what pywebpush sends arrives word for word`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let device = deviceToken()
        let endpoint = try await relay.subscribe(device, account: "alice@pixels.example")
        let sender = try Program(
            Self.python,
            [
                Self.script, "http://\(relay.address)\(endpoint.path)", Base64URL.encode(endpoint.p256dh.octets),
                Base64URL.encode(endpoint.auth.octets),
            ]
        )
        try sender.say(#"{"notification_type":"comment","title":"New Comment","body":"Żółw 🐢","status_id":"7"}"#)
        #expect(await sender.end() == 0, "\(sender.errors.joined(separator: "\n"))")
        #expect(sender.lines == ["201"])
        #expect(
            try await apple.requests(for: device).map(\.payload) == [
                """
                {"account":"alice@pixels.example","aps":{"alert":{"body":"Żółw 🐢","title":"New Comment"},\
                "badge":1,"sound":"default"},"notification_type":"comment","status_id":"7"}
                """
            ]
        )
    }
}
