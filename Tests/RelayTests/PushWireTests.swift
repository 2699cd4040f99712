import Foundation
import RelayTesting
import Testing

/// What shows only between the sender's socket and the relay's.
@Suite(.fewAtATime) struct PushWireTests {
    private let apple: AppleSimulator
    private let relay: RelayProgram
    private let device = freshToken()
    private let endpoint: Endpoint

    init() async throws {
        apple = try await AppleSimulator.shared()
        relay = try await RelayProgram(apple: apple)
        endpoint = try await relay.subscribe(device)
    }

    /// The head of a push with these lines, and its empty line.
    private func head(_ lines: String...) -> [UInt8] {
        let lines = ["POST \(endpoint.path) HTTP/1.1", "Host: push.example.org", "Content-Encoding: aes128gcm"] + lines
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Nothing of the push was counted or shown: the next one is the first.
    private func expectNothingCounted() async throws {
        #expect(try await relay.push(to: endpoint).status == 201)
        #expect(try await apple.requests(for: device).map(\.badge) == [1])
    }

    @Test func `W-09: space around a TTL is none of it`() async throws {
        let body = try Push.body(Push.like.utf8, for: endpoint)
        let client = try HTTPClient(relay.address)
        try await client.send(head("TTL: \t 60 \t", "Content-Length: \(body.count)") + body)
        let answer = try await client.answer()
        #expect(answer.status == 201)
        #expect(answer.values("TTL") == ["60"])
    }

    @Test func `W-26: a length of 65,537 is answered 413 before the body, and the connection ends`() async throws {
        let client = try HTTPClient(relay.address)
        try await client.send(head("TTL: 60", "Content-Length: 65537"))
        let answer = try await client.answer()
        #expect(answer.status == 413)
        #expect(answer.values("Connection") == ["close"])
        #expect(try await client.rest() == [])
        try await expectNothingCounted()
    }

    @Test func `W-27: the chunk that would cross 65,536 octets is answered 413, and the connection ends`()
        async throws
    {
        let client = try HTTPClient(relay.address)
        let chunk = Array("4000\r\n".utf8) + [UInt8](repeating: 0, count: 0x4000) + Array("\r\n".utf8)
        try await client.send(head("TTL: 60", "Transfer-Encoding: chunked"))
        for _ in 0..<4 { try await client.send(chunk) }
        try await client.send(Array("1\r\n".utf8))
        let answer = try await client.answer()
        #expect(answer.status == 413)
        #expect(answer.values("Connection") == ["close"])
        #expect(try await client.rest() == [])
        try await expectNothingCounted()
    }

    @Test func `W-28: who asks before it sends 65,537 octets is answered 413, and no 100 before`() async throws {
        let client = try HTTPClient(relay.address)
        try await client.send(head("TTL: 60", "Content-Length: 65537", "Expect: 100-continue"))
        let text = String(decoding: try await client.rest(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 413 "))
        #expect(!text.contains("HTTP/1.1 100"))
        try await expectNothingCounted()
    }

    @Test func `W-29: a body that ends before its length is no push`() async throws {
        let body = try Push.body(Push.like.utf8, for: endpoint)
        // All of a good message, but it says that there is more; closed as soon as it is sent.
        let head = head("TTL: 60", "Content-Length: \(body.count + 1)")
        try await HTTPClient(relay.address).send(head + body)
        try await expectNothingCounted()
    }

    @Test func `W-31: 201 has no body, names no version of a server, and the place that it names is 404`() async throws
    {
        let answer = try await relay.push(to: endpoint)
        #expect(answer.status == 201)
        #expect(answer.values("Content-Length") == ["0"])
        #expect(answer.body == [])
        #expect(answer.values("Server") == [])
        #expect(answer.values("TTL") == ["2419200"])
        let place = try #require(answer.values("Location").first)
        #expect(place.wholeMatch(of: /https:\/\/push\.example\.org\/m\/[A-Za-z0-9_-]{22}/) != nil)
        #expect(!place.contains(endpoint.subscription_id))
        #expect(!place.contains(device))
        let path = try #require(URL(string: place)?.path)
        #expect(try await relay.answer("GET", path, token: nil).status == 404)
        #expect(try await relay.answer("DELETE", path, token: nil).status == 404)
    }
}
