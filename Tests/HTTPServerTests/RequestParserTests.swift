import Testing

@testable import HTTPServer

@Suite struct RequestParserTests {
    private let push = "POST /wp/\(Routes.id) HTTP/1.1\r\nHost: a\r\n"

    @Test(arguments: [(8_192, nil), (8_193, Refusal.requestLineTooLong)])
    func `a request line ends at 8192 octets`(_ length: Int, _ refusal: Refusal?) {
        let line = "GET / HTTP/1.1"
        let target = "/" + String(repeating: "a", count: length - line.utf8.count)
        #expect(Reading("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n").refusal == refusal)
    }

    @Test(arguments: [(16_384, nil), (16_385, Refusal.headTooLarge)])
    func `a head ends at 16384 octets`(_ length: Int, _ refusal: Refusal?) {
        let start = "GET / HTTP/1.1\r\nHost: a\r\nX-A: "
        let value = String(repeating: "a", count: length - start.utf8.count - 4)
        #expect(Reading("\(start)\(value)\r\n\r\n").refusal == refusal)
    }

    @Test(arguments: [(64, nil), (65, Refusal.tooManyFields)])
    func `a head has at most 64 field lines`(_ count: Int, _ refusal: Refusal?) {
        let fields = String(repeating: "X-A: 1\r\n", count: count - 1)
        #expect(Reading("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n").refusal == refusal)
    }

    @Test(arguments: [(256, nil), (257, Refusal.malformedChunk)])
    func `the extensions of a chunk end at 256 octets`(_ length: Int, _ refusal: Refusal?) {
        let parameters = String(repeating: "a", count: length)
        let body = "1;\(parameters)\r\nx\r\n1;\(parameters)\r\nx\r\n0\r\n\r\n"
        #expect(Reading("\(push)Transfer-Encoding: chunked\r\n\r\n\(body)").refusal == refusal)
    }

    @Test(arguments: [(65_536, nil), (65_537, Refusal.bodyTooLarge)])
    func `a body of known length ends at the limit of its rule`(_ length: Int, _ refusal: Refusal?) {
        let body = String(repeating: "x", count: length)
        let reading = Reading("\(push)Content-Length: \(length)\r\n\r\n\(body)")
        #expect(reading.refusal == refusal)
        #expect(reading.bodies.first?.count == (refusal == nil ? length : nil))
    }

    @Test func `a length over the limit is refused before an octet of the body is there`() {
        #expect(Reading("\(push)Content-Length: 65537\r\n\r\n").refusal == .bodyTooLarge)
    }

    @Test func `chunks may fill the limit to the last octet`() {
        let chunk = "8000\r\n\(String(repeating: "x", count: 0x8000))\r\n"
        let reading = Reading("\(push)Transfer-Encoding: chunked\r\n\r\n\(chunk)\(chunk)0\r\n\r\n")
        #expect(reading.refusal == nil)
        #expect(reading.bodies.map(\.count) == [65_536])
    }

    @Test func `the chunk that would cross the limit is refused at its size`() {
        let chunk = "8000\r\n\(String(repeating: "x", count: 0x8000))\r\n"
        #expect(Reading("\(push)Transfer-Encoding: chunked\r\n\r\n\(chunk)\(chunk)1").refusal == .bodyTooLarge)
    }

    @Test(arguments: [
        ("\u{16}", Refusal.malformedRequestLine), ("GET /healthz\r\n", .malformedRequestLine), ("\n", .malformedLine),
        ("GET / HTTP/1.1\r\nHost: a\0", .malformedLine), ("GET / HTTP/3.0\r\n", .unsupportedVersion),
    ])
    func `what cannot become a request is refused at once`(_ start: String, _ refusal: Refusal) {
        #expect(Reading(start).refusal == refusal)
    }

    @Test(arguments: [
        ("HTTP/1.1\r\nHost: a", true), ("HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, CLOSE", false),
        ("HTTP/1.1\r\nHost: a\r\nConnection: x\r\nConnection: close", false),
        ("HTTP/1.1\r\nHost: a\r\nConnection: closed", true), ("HTTP/1.0\r\nConnection: keep-alive", false),
    ])
    func `a connection persists unless one side says otherwise`(_ head: String, _ isPersistent: Bool) {
        #expect(Reading("GET / \(head)\r\n\r\n").requests == ["GET / \(isPersistent)"])
    }

    @Test(arguments: [("", true), ("he", false)])
    func `100 is due only while no octet of the body is there`(_ body: String, _ isDue: Bool) throws {
        var parser = RequestParser(limits: Limits(), bodyRule: Routes.bodyRule)
        var input = Array("\(push)Expect: 100-continue\r\nContent-Length: 5\r\n\r\n\(body)".utf8)[...]
        #expect(try parser.consume(&input) == nil)
        let answers = [parser.takeExpectation(), parser.takeExpectation()]
        #expect(answers == [isDue, false])
    }

    @Test func `after a refusal the parser stays refused`() throws {
        var parser = RequestParser(limits: Limits(), bodyRule: Routes.bodyRule)
        var input = Array("(\r\n".utf8)[...]
        #expect(throws: Refusal.malformedRequestLine) { try parser.consume(&input) }
        input = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)[...]
        #expect(throws: Refusal.malformedRequestLine) { try parser.consume(&input) }
    }

    @Test func `the octets behind a request stay where they are`() throws {
        var parser = RequestParser(limits: Limits(), bodyRule: Routes.bodyRule)
        var input = Array("\(push)Content-Length: 2\r\n\r\nabGET".utf8)[...]
        let parsed = try #require(try parser.consume(&input))
        #expect(parsed.request.body == Array("ab".utf8))
        #expect(Array(input) == Array("GET".utf8))
    }

    @Test(arguments: [
        "Content-Length: 1000\r\n\r\n\(String(repeating: "x", count: 1_000))",
        "Content-Length: 26\r\n\r\nGET /x HTTP/1.1\r\nHost: x\r\n",
        "Transfer-Encoding: chunked\r\n\r\n1a\r\nGET /x HTTP/1.1\r\nHost: x\r\n\r\n0\r\n\r\n",
    ])
    func `D-04: a body that no route asks for is a body, and the next request begins behind it`(_ rest: String) {
        let reading = Reading("DELETE /subscribe/x HTTP/1.1\r\nHost: a\r\n\(rest)GET /y HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(reading.requests == ["DELETE /subscribe/x true", "GET /y true"])
        #expect(reading.refusal == nil)
    }

    @Test(arguments: Refusal.allCases)
    func `every refusal is an error that a client can read`(_ refusal: Refusal) {
        let response = refusal.response
        #expect((400...505).contains(response.status))
        #expect(String(decoding: response.body, as: UTF8.self).hasPrefix("{\"error\":\""))
    }
}
