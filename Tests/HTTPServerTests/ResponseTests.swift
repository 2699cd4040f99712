import Testing

@testable import HTTPServer

@Suite struct ResponseTests {
    private func text(_ response: Response, isHead: Bool = false, closes: Bool = false) -> String {
        String(decoding: response.octets(date: "now", isHead: isHead, closes: closes), as: UTF8.self)
    }

    @Test func `an answer has a date and a length`() {
        let response = Response(status: 200, fields: [("X-A", "1")], body: Array("ok".utf8))
        #expect(text(response) == "HTTP/1.1 200 OK\r\nDate: now\r\nX-A: 1\r\nContent-Length: 2\r\n\r\nok")
    }

    @Test func `the answer to HEAD has the length of what it leaves out`() {
        let response = Response(status: 200, body: Array("ok".utf8))
        #expect(text(response, isHead: true) == "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 2\r\n\r\n")
    }

    @Test func `204 has neither content nor length`() {
        let response = Response(status: 204, body: Array("ok".utf8))
        #expect(text(response, closes: true) == "HTTP/1.1 204 No Content\r\nDate: now\r\nConnection: close\r\n\r\n")
    }

    @Test func `a value cannot start another field`() {
        let response = Response(status: 201, fields: [("Location", "/m\r\nX-Injected: 1\0")])
        #expect(text(response).contains("Location: /m  X-Injected: 1 \r\n"))
    }

    @Test(arguments: ["Content-Length", "transfer-encoding", "CONNECTION", "Date", "X A", "", "X\r\nY", "é"])
    func `a field that frames the answer, or whose name is no token, is left out`(_ name: String) {
        #expect(!text(Response(status: 200, fields: [(name, "marker")])).contains("marker"))
    }

    @Test(arguments: [-1, 0, 100, 199, 600, Int.max])
    func `a status that is none is sent as 500`(_ status: Int) {
        #expect(text(Response(status: status)).hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
    }

    @Test func `a problem is JSON whatever it says`() {
        let response = Response.problem(400, "bad", "say \"é\" \\ \n\u{1}", fields: [("Allow", "POST")])
        let body = #"{"error":"bad","message":"say \"é\" \\ \u000a\u0001"}"#
        #expect(String(decoding: response.body, as: UTF8.self) == body)
        #expect(response.fields.map(\.name) == ["Content-Type", "Cache-Control", "Allow"])
    }

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"), (4_294_967_296, "Sun, 07 Feb 2106 06:28:16 GMT"),
    ])
    func `a date is written in English and GMT`(_ second: Int, _ text: String) {
        #expect(DateText.text(second) == text)
    }

    @Test func `a date beyond what the calendar holds is no crash`() {
        #expect(DateText.text(.max).hasSuffix("GMT"))
        #expect(DateText.text(.min).hasSuffix("GMT"))
    }
}
