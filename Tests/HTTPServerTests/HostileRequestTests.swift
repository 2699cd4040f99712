import Testing

@testable import HTTPServer

@Suite struct HostileRequestTests {
    @Test func `the vectors are there`() {
        #expect(HostileRequest.vectors.count > 50)
    }

    @Test(arguments: HostileRequest.all)
    func `a hostile request gets the strict answer`(_ hostile: HostileRequest) async throws {
        let record = Record()
        let handler: @Sendable (Request) async -> Response = { request in
            _ = await record.append(request)
            return Routes.answer(request)
        }
        let (status, rest) = try await withServer(handler: handler) { server in
            let client = try Client(server.boundAddress)
            client.send(hostile.raw)
            let reply = try client.reply()
            if hostile.isRefused { #expect(reply.values("Connection") == ["close"]) }
            client.endSending()
            return (reply.status, try client.rest())
        }
        #expect(hostile.statuses.contains(status))
        if hostile.isRefused {
            #expect(rest.isEmpty)
            #expect(record.all.isEmpty)
        }
    }

    @Test func `targets reach the handler octet for octet`() async throws {
        let record = Record()
        let targets = ["/wp/%30abc", "/wp/../healthz", "//wp//x", "/wp/abc%zz", "/a?x=1&y=/?:@!$'()*+,;=-._~"]
        try await withServer(handler: record.append) { server in
            let client = try Client(server.boundAddress)
            for target in targets {
                client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.reply().status == 204)
            }
        }
        #expect(record.all.map { String(decoding: $0.head.target, as: UTF8.self) } == targets)
    }

    @Test func `a trailer does not join the fields`() async throws {
        let record = Record()
        let body = "5\r\nhello\r\n0\r\nX-T: 1\r\nContent-Length: 3\r\n\r\n"
        try await withServer(handler: record.append) { server in
            let client = try Client(server.boundAddress)
            client.send("POST /wp/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
            #expect(try client.reply().status == 204)
        }
        let request = try #require(record.all.first)
        #expect(request.body == Array("hello".utf8))
        #expect(request.head.fields.first("X-T") == nil)
        #expect(request.head.fields.first("Content-Length") == nil)
    }

    @Test func `a name with an underscore is another name`() async throws {
        let record = Record()
        try await withServer(handler: record.append) { server in
            let client = try Client(server.boundAddress)
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX_Real_IP: v\r\nContent_Length: 3\r\n\r\n")
            #expect(try client.reply().status == 204)
        }
        #expect(record.all.first?.head.fields.first("X-Real-IP") == nil)
        #expect(record.all.first?.head.fields.values("x_real_ip") == [Array("v".utf8)])
    }
}
