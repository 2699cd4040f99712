import Testing

@testable import HTTPServer

@Suite struct ServerTests {
    private static let get = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func push(_ fields: String, _ body: String = "") -> String {
        "POST /wp/\(Routes.id) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)"
    }

    @Test func `a hundred pipelined requests are answered in order`() async throws {
        let bodies = try await withServer { server in
            let client = try Client(server.boundAddress)
            let requests = (0..<100).map { Self.push("Content-Length: \("\($0)".utf8.count)", "\($0)") }
            client.send(requests.joined())
            return try (0..<100).map { _ in try client.reply().text }
        }
        #expect(bodies == (0..<100).map { "\($0)" })
    }

    @Test func `more pipelined requests than are kept are all answered`() async throws {
        let statuses = try await withServer { server in
            let client = try Client(server.boundAddress)
            client.send(
                String(repeating: Self.push("Content-Length: 1000", String(repeating: "x", count: 1_000)), count: 60)
            )
            return try (0..<60).map { _ in try client.reply().status }
        }
        #expect(statuses.allSatisfy { $0 == 201 })
    }

    @Test func `one connection carries two thousand requests`() async throws {
        let count = try await withServer { server in
            let client = try Client(server.boundAddress)
            return try (0..<2_000).filter { _ in
                client.send(Self.get)
                return try client.reply().text == "ok"
            }.count
        }
        #expect(count == 2_000)
    }

    @Test func `a request in segments of one octet is answered`() async throws {
        let reply = try await withServer { server in
            let client = try Client(server.boundAddress)
            for octet in Self.push("Content-Length: 5", "hello").utf8 { client.send([octet]) }
            return try client.reply()
        }
        #expect(reply.text == "hello")
    }

    @Test func `a body of 65536 octets comes back whole, a longer one is refused unread`() async throws {
        let body = String(repeating: "x", count: 65_536)
        try await withServer { server in
            let client = try Client(server.boundAddress)
            client.send(Self.push("Content-Length: 65536", body))
            #expect(try client.reply().body.count == 65_536)
            client.send(Self.push("Content-Length: 65537"))
            #expect(try client.reply().status == 413)
            #expect(client.isCutOff())
        }
    }

    @Test func `a client that sends all of a refused body still reads the refusal`() async throws {
        let reply = try await withServer { server in
            let client = try Client(server.boundAddress)
            client.send(Self.push("Content-Length: 500000", String(repeating: "x", count: 500_000)))
            return try client.reply()
        }
        #expect(reply.status == 413)
        #expect(reply.text.contains("payload_too_large"))
    }

    @Test func `100 comes before the body when it is acceptable`() async throws {
        try await withServer { server in
            let client = try Client(server.boundAddress)
            client.send(Self.push("Content-Length: 5\r\nExpect: 100-Continue"))
            #expect(try client.reply().status == 100)
            client.send("hello")
            #expect(try client.reply().text == "hello")
        }
    }

    @Test(arguments: [
        ("Content-Length: 65537\r\nExpect: 100-continue", "", 413), ("Expect: 100-continue", "", 411),
        ("Content-Length: 5\r\nExpect: 100-continue", "hello", 201),
        ("Content-Length: 0\r\nExpect: 100-continue", "", 201),
        ("Content-Length: 5\r\nExpect: x", "", 417),
    ])
    func `100 is left out when it is of no use`(_ fields: String, _ body: String, _ status: Int) async throws {
        let reply = try await withServer { server in
            let client = try Client(server.boundAddress)
            client.send(Self.push(fields, body))
            return try client.reply()
        }
        #expect(reply.status == status)
    }

    @Test func `HEAD is answered with the length and no content`() async throws {
        try await withServer { server in
            let client = try Client(server.boundAddress)
            client.send("HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n\(Self.get)")
            #expect(try client.reply(toHead: true).values("Content-Length") == ["2"])
            #expect(try client.reply().text == "ok")
        }
    }

    @Test(arguments: ["HTTP/1.0\r\n\r\n", "HTTP/1.1\r\nHost: a\r\nConnection: foo, Close\r\n\r\n"])
    func `a connection that is not to persist ends after its answer`(_ rest: String) async throws {
        try await withServer { server in
            let client = try Client(server.boundAddress)
            client.send("GET /healthz \(rest)\(Self.get)")
            let reply = try client.reply()
            #expect(reply.status == 200)
            #expect(reply.values("Connection") == ["close"])
            #expect(reply.values("Date").count == 1)
            #expect(client.isCutOff())
        }
    }

    @Test func `requests are answered after the client has ended its direction`() async throws {
        try await withServer { server in
            let client = try Client(server.boundAddress)
            client.send(Self.get + Self.push("Content-Length: 2", "ab") + "GET /")
            client.endSending()
            #expect(try client.reply().text == "ok")
            #expect(try client.reply().text == "ab")
            #expect(client.isCutOff())
        }
    }

    @Test(arguments: [true, false])
    func `a body that breaks off never reaches the handler`(_ isReset: Bool) async throws {
        let record = Record()
        try await withServer(handler: record.append) { server in
            let client = try Client(server.boundAddress)
            client.send(Self.push("Content-Length: 5\r\nExpect: 100-continue"))
            // The interim answer shows that the head was read, so that the break comes in the body.
            #expect(try client.reply().status == 100)
            client.send("hell")
            isReset ? client.reset() : client.endSending()
            if !isReset { #expect(client.isCutOff()) }
            // The loop takes events in turn: an answer to another client shows that it still runs.
            let other = try Client(server.boundAddress)
            other.send(Self.get)
            #expect(try other.reply().status == 204)
            #expect(server.stop(within: .seconds(60)))
        }
        #expect(record.all.map(\.head.method) == ["GET"])
    }

    @Test func `a handler runs to its end when its client is gone, and nobody else gets the answer`() async throws {
        let (gate, record) = (Gate(), Record())
        let handler: @Sendable (Request) async -> Response = { request in
            if request.head.method == "GET" { return Response(status: 200, body: Array("ok".utf8)) }
            await gate.pass()
            return await record.append(request)
        }
        try await withServer(handler: handler) { server in
            let gone = try Client(server.boundAddress)
            gone.send(Self.push("Content-Length: 0"))
            gate.awaitArrival()
            gone.reset()
            let others = try (0..<8).map { _ in try Client(server.boundAddress) }
            for other in others {
                other.send(Self.get)
                #expect(try other.reply().text == "ok")
            }
            gate.open()
            // Waits for the handler, which is in flight although its client is not.
            #expect(server.stop(within: .seconds(60)))
            for other in others { #expect(other.isCutOff()) }
        }
        #expect(record.all.count == 1)
    }

    @Test func `a handler that never answers is answered for`() async throws {
        let gate = Gate()
        var limits = Limits.patient
        limits.handlerTime = .milliseconds(1)
        let handler: @Sendable (Request) async -> Response = { _ in
            await gate.pass()
            return Response(status: 200)
        }
        try await withServer(limits: limits, handler: handler) { server in
            let client = try Client(server.boundAddress)
            client.send(Self.get)
            let reply = try client.reply()
            #expect(reply.status == 503)
            #expect(reply.values("Retry-After").count == 1)
            gate.open()
            #expect(client.isCutOff())
        }
    }

    @Test func `a client that sends nothing is closed, and one that stops half-way is told so`() async throws {
        var limits = Limits.patient
        limits.headTime = .milliseconds(1)
        try await withServer(limits: limits) { server in
            let silent = try Client(server.boundAddress)
            #expect(silent.isCutOff())
        }
        limits.headTime = .seconds(60)
        limits.bodyTime = .milliseconds(1)
        try await withServer(limits: limits) { server in
            let slow = try Client(server.boundAddress)
            slow.send(Self.push("Content-Length: 5", "hell"))
            #expect(try slow.reply().status == 408)
        }
    }

    @Test func `a client reads the end of its last answer long before the server is done with it`() async throws {
        var limits = Limits.patient
        limits.lingerTime = .seconds(3_600)
        try await withServer(limits: limits) { server in
            let client = try Client(server.boundAddress)
            client.send("(")
            #expect(try client.reply().status == 400)
            #expect(client.isCutOff())
        }
    }

    @Test func `handlers beyond the cap are not called`() async throws {
        let gate = Gate()
        var limits = Limits.patient
        limits.requestsInFlight = 1
        let handler: @Sendable (Request) async -> Response = { _ in
            await gate.pass()
            return Response(status: 200)
        }
        try await withServer(limits: limits, handler: handler) { server in
            let first = try Client(server.boundAddress)
            first.send(Self.get)
            gate.awaitArrival()
            let second = try Client(server.boundAddress)
            second.send(Self.get)
            #expect(try second.reply().status == 503)
            gate.open()
            #expect(try first.reply().status == 200)
        }
    }
}
