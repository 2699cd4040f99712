import Testing

@testable import HTTPServer

@Suite struct CapacityTests {
    private static let get = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func limits(connections: Int) -> Limits {
        var limits = Limits.patient
        limits.connections = connections
        return limits
    }

    @Test func `at the cap the longest idle connection gives way`() async throws {
        try await withServer(limits: Self.limits(connections: 3)) { server in
            let clients = try (0..<3).map { _ in try Client(server.boundAddress) }
            // In another order than they came, so that the longest idle is not the oldest.
            for client in [clients[1], clients[0], clients[2]] {
                client.send(Self.get)
                #expect(try client.reply().text == "ok")
            }
            let newcomer = try Client(server.boundAddress)
            newcomer.send(Self.get)
            #expect(try newcomer.reply().text == "ok")
            #expect(clients[1].isCutOff())
            for client in [clients[0], clients[2]] {
                client.send(Self.get)
                #expect(try client.reply().text == "ok")
            }
        }
    }

    @Test func `at the cap with all at work a newcomer waits for one to finish`() async throws {
        let gate = Gate()
        let handler: @Sendable (Request) async -> Response = { request in
            if request.head.target == Array("/wait".utf8) { await gate.pass() }
            return Response(status: 200, body: request.head.target)
        }
        try await withServer(limits: Self.limits(connections: 1), handler: handler) { server in
            let first = try Client(server.boundAddress)
            first.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            gate.awaitArrival()
            let newcomer = try Client(server.boundAddress)
            newcomer.send(Self.get)
            gate.open()
            #expect(try first.reply().text == "/wait")
            #expect(try newcomer.reply().text == "/healthz")
            #expect(first.isCutOff())
        }
    }

    @Test(arguments: ["GET /healthz HT", "POST /subscribe HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"])
    func `at the cap a connection that takes its time over a request gives way too`(beginning: String) async throws {
        var limits = Self.limits(connections: 2)
        limits.arrivalTimeAtCap = .zero
        try await withServer(limits: limits) { server in
            let slow = try (0..<2).map { _ in try Client(server.boundAddress) }
            for client in slow { client.send(beginning) }
            let newcomer = try Client(server.boundAddress)
            newcomer.send(Self.get)
            #expect(try newcomer.reply().text == "ok")
            // One at most: the newcomer's request was answered, so it is idle and goes before anybody else.
            let another = try Client(server.boundAddress)
            another.send(Self.get)
            #expect(try another.reply().text == "ok")
            #expect(newcomer.isCutOff())
        }
    }

    @Test func `at the cap newcomers that have sent their request do not take each other's places`() async throws {
        try await offPool {
            let handler: @Sendable (Request) async -> Response = { Routes.answer($0) }
            let limits = Self.limits(connections: 2)
            let server = try Server(address: loopback, limits: limits, bodyRule: Routes.bodyRule, handler: handler)
            // All of them are there, with what they sent, before the first is accepted.
            let clients = try (0..<7).map { _ in try Client(server.boundAddress) }
            for client in clients { client.send(Self.get) }
            server.start()
            defer { server.stop(within: .zero) }
            for client in clients { #expect(try client.reply().text == "ok") }
        }
    }

    @Test func `at the cap a request that arrives behind an answered one may be too slow like any other`() async throws
    {
        let gate = Gate()
        let handler: @Sendable (Request) async -> Response = { request in
            if request.head.target == Array("/wait".utf8) { await gate.pass() }
            return Response(status: 200, body: request.head.target)
        }
        var limits = Self.limits(connections: 1)
        limits.arrivalTimeAtCap = .milliseconds(1)
        try await withServer(limits: limits, handler: handler) { server in
            let slow = try Client(server.boundAddress)
            slow.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HT")
            gate.awaitArrival()
            let newcomer = try Client(server.boundAddress)
            newcomer.send(Self.get)
            gate.open()
            #expect(try slow.reply().text == "/wait")
            #expect(try newcomer.reply().text == "/healthz")
        }
    }

    @Test func `more silent connections than the cap do not keep another from its answer`() async throws {
        var limits = Self.limits(connections: 20)
        limits.arrivalTimeAtCap = .milliseconds(10)
        let text = try await withServer(limits: limits) { server in
            let silent = try (0..<60).map { _ in try Client(server.boundAddress) }
            let client = try Client(server.boundAddress)
            client.send(Self.get)
            return try withExtendedLifetime(silent) { try client.reply().text }
        }
        #expect(text == "ok")
    }

    // MARK: Octets in all

    private static func limits(octets: Int, small: Int = 100) -> Limits {
        var limits = Limits.patient
        limits.requestOctets = octets
        limits.smallRequestOctets = small
        return limits
    }

    private static func post(_ octets: Int, of length: Int? = nil, to path: String = "/a") -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(length ?? octets)\r\n\r\n"
            + String(repeating: "x", count: octets)
    }

    @Test func `of two bodies that do not fit together one is told to come again, and the other is served`()
        async throws
    {
        let handler: @Sendable (Request) async -> Response = { Response(status: 200, body: $0.head.target) }
        let rule: @Sendable (Head) -> BodyRule = { _ in BodyRule(limit: 65_536, isRequired: false) }
        try await withServer(limits: Self.limits(octets: 100_000), bodyRule: rule, handler: handler) { server in
            let clients = [try Client(server.boundAddress), try Client(server.boundAddress)]
            for client in clients { client.send(Self.post(60_000, of: 65_536)) }
            // Whichever of them went past the limit was refused then; the other one waits for its last octets.
            for client in clients { client.send(String(repeating: "x", count: 5_536)) }
            let replies = try clients.map { try $0.reply() }
            #expect(replies.map(\.status).sorted() == [200, 503])
            let refused = try #require(replies.first { $0.status == 503 })
            #expect(refused.values("Retry-After") == ["10"])
            #expect(refused.values("Connection") == ["close"])
            // What was held is free again.
            let next = try Client(server.boundAddress)
            next.send(Self.post(65_536))
            #expect(try next.reply().status == 200)
        }
    }

    @Test func `what handlers have counts as held, and a small request is served all the same`() async throws {
        let gate = Gate()
        let handler: @Sendable (Request) async -> Response = { request in
            if request.head.target == Array("/wait".utf8) { await gate.pass() }
            return Response(status: 200, body: request.head.target)
        }
        let rule: @Sendable (Head) -> BodyRule = { _ in BodyRule(limit: 65_536, isRequired: false) }
        try await withServer(limits: Self.limits(octets: 10_000, small: 500), bodyRule: rule, handler: handler) {
            server in
            let first = try Client(server.boundAddress)
            first.send(Self.post(6_000, to: "/wait"))
            gate.awaitArrival()
            let second = try Client(server.boundAddress)
            second.send(Self.post(6_000))
            #expect(try second.reply().status == 503)
            let small = try Client(server.boundAddress)
            small.send(Self.get)
            #expect(try small.reply().text == "/healthz")
            gate.open()
            #expect(try first.reply().text == "/wait")
            let third = try Client(server.boundAddress)
            third.send(Self.post(6_000))
            #expect(try third.reply().status == 200)
        }
    }

    @Test func `what comes in one go behind a complete request counts as held as well`() async throws {
        let gate = Gate()
        let handler: @Sendable (Request) async -> Response = { request in
            await gate.pass()
            return Response(status: 200, body: request.head.target)
        }
        let rule: @Sendable (Head) -> BodyRule = { _ in BodyRule(limit: 65_536, isRequired: false) }
        try await withServer(limits: Self.limits(octets: 10_000, small: 500), bodyRule: rule, handler: handler) {
            server in
            let first = try Client(server.boundAddress)
            first.send(Self.post(6_000, to: "/first"))
            gate.awaitArrival()
            let second = try Client(server.boundAddress)
            second.send(Self.get + Self.post(6_000))
            gate.awaitArrival()
            gate.open()
            #expect(try first.reply().text == "/first")
            let reply = try second.reply()
            #expect(reply.text == "/healthz")
            #expect(reply.values("Connection") == ["close"])
            #expect(second.isCutOff())
        }
    }

    @Test func `what was held of requests that were served, refused or given up is forgotten`() async throws {
        // A single remainder of 5,000 octets would leave no room for the last request.
        try await withServer(limits: Self.limits(octets: 12_000, small: 0)) { server in
            for _ in 0..<20 {
                let served = try Client(server.boundAddress)
                served.send(Self.post(5_000, to: "/wp/\(Routes.id)") + Self.get)
                #expect(try served.reply().status == 201)
                #expect(try served.reply().status == 200)
                let refused = try Client(server.boundAddress)
                refused.send(Self.post(5_000) + "garbage\r\n\r\n")
                #expect(try refused.reply().status == 404)
                #expect(try refused.reply().status == 400)
                let givenUp = try Client(server.boundAddress)
                givenUp.send(Self.post(5_000, of: 5_001))
                givenUp.endSending()
                #expect(givenUp.isCutOff())
            }
            let last = try Client(server.boundAddress)
            last.send(Self.post(5_000, to: "/wp/\(Routes.id)"))
            #expect(try last.reply().status == 201)
        }
    }

    @Test func `what waits behind a request gives way unread, and the client is told so by the end`() {
        let moment = Moment(instant: .now, date: "now")
        var connection = Connection(limits: Limits(), bodyRule: Routes.bodyRule, at: moment)
        #expect(connection.receive(Array(Self.get.utf8)[...], at: moment) != nil)
        #expect(connection.heldOctets == 0)
        #expect(connection.receive(Array(Self.post(5_000).utf8)[...], at: moment) == nil)
        #expect(connection.heldOctets > 5_000)
        connection.giveWay(at: moment)
        #expect(connection.heldOctets == 0)
        #expect(!connection.wantsInput)
        connection.answer(Response(status: 200), at: moment)
        #expect(String(decoding: connection.output, as: UTF8.self).contains("\r\nConnection: close\r\n"))
        #expect(connection.sent(connection.output.count, at: moment) == nil)
        #expect(connection.phase == .lingering)
    }

    @Test func `a body takes the memory of its length and not the next power of two`() throws {
        var parser = RequestParser(limits: Limits(), bodyRule: Routes.bodyRule)
        for part in Array(Self.post(39_000, of: 40_000, to: "/wp/\(Routes.id)").utf8).chunks(of: 16_384) {
            var part = part
            #expect(try parser.consume(&part) == nil)
        }
        #expect((39_000..<42_000).contains(parser.heldOctets))
    }

    @Test(arguments: [
        (Duration.zero, Int32(0)), (.seconds(-1), 0), (.nanoseconds(1), 1), (.milliseconds(1), 1),
        (.microseconds(1_001), 2), (.seconds(10), 10_000), (.seconds(Int64.max), 3_600_000),
    ])
    func `a wait is rounded up to milliseconds and never too long for the kernel`(_ time: Duration, _ wait: Int32) {
        #expect(Poll.milliseconds(time) == wait)
    }
}

extension Array {
    fileprivate func chunks(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}
