import Testing

@testable import HTTPServer

@Suite struct ConnectionTests {
    private static let start = ContinuousClock.now
    private let limits = Limits()

    private func moment(_ seconds: Double) -> Moment {
        Moment(instant: Self.start + .seconds(seconds), date: "now")
    }

    private func connection() -> Connection {
        Connection(limits: limits, bodyRule: Routes.bodyRule, at: moment(0))
    }

    private func octets(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    private func status(_ connection: Connection) -> String {
        String(decoding: connection.output.dropFirst("HTTP/1.1 ".utf8.count).prefix(3), as: UTF8.self)
    }

    private let request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
    private let push = "POST /wp/\(Routes.id) HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"

    @Test func `a client that sends nothing is closed without a word after ten seconds`() {
        var connection = connection()
        connection.expire(at: moment(9.9))
        #expect(connection.phase == .idle)
        connection.expire(at: moment(10))
        #expect(connection.phase == .closed)
        #expect(connection.output.isEmpty)
    }

    @Test func `at the cap a newcomer that is silent or slow gives way after half a second, and one served at once`() {
        var connection = connection()
        #expect(!connection.givesWay(at: moment(0.49).instant))
        #expect(connection.givesWay(at: moment(0.5).instant))
        #expect(connection.receive(octets(push).dropLast(2), at: moment(1)) == nil)
        #expect(!connection.givesWay(at: moment(1.49).instant))
        #expect(connection.givesWay(at: moment(1.5).instant))
        #expect(connection.receive(octets("\r\n"), at: moment(2)) == nil)
        #expect(!connection.givesWay(at: moment(2.49).instant))
        #expect(connection.givesWay(at: moment(2.5).instant))
        #expect(connection.receive(octets("12345"), at: moment(3)) != nil)
        #expect(!connection.givesWay(at: moment(600).instant))
        connection.answer(Response(status: 200), at: moment(4))
        #expect(!connection.givesWay(at: moment(600).instant))
        #expect(connection.sent(connection.output.count, at: moment(5)) == nil)
        #expect(connection.givesWay(at: moment(5).instant))
    }

    @Test func `an octet a second does not move the deadline of a head`() {
        var connection = connection()
        for second in 0..<10 {
            #expect(connection.receive(octets("G"), at: moment(5 + Double(second))) == nil)
            #expect(connection.deadline == moment(15).instant)
        }
        connection.expire(at: moment(15))
        #expect(status(connection) == "408")
        #expect(connection.sent(connection.output.count, at: moment(15)) == nil)
        #expect(connection.phase == .lingering)
    }

    @Test func `an octet a second does not move the deadline of a body`() {
        var connection = connection()
        #expect(connection.receive(octets(push), at: moment(1)) == nil)
        for second in 2..<6 {
            #expect(connection.receive(octets("x"), at: moment(Double(second))) == nil)
            #expect(connection.deadline == moment(21).instant)
        }
        connection.expire(at: moment(21))
        #expect(status(connection) == "408")
    }

    @Test func `a handler that takes too long is answered for, and its answer is dropped`() {
        var connection = connection()
        #expect(connection.receive(octets(request), at: moment(0)) != nil)
        connection.expire(at: moment(29.9))
        #expect(connection.phase == .waiting)
        connection.expire(at: moment(30))
        #expect(status(connection) == "503")
        let output = connection.output
        connection.answer(Response(status: 200), at: moment(31))
        #expect(connection.output == output)
    }

    @Test func `a client that does not read its answer is cut off ten seconds after it began`() {
        var connection = connection()
        _ = connection.receive(octets(request), at: moment(0))
        connection.answer(Response(status: 200, body: [1, 2, 3]), at: moment(1))
        #expect(connection.sent(5, at: moment(10)) == nil)
        #expect(connection.deadline == moment(11).instant)
        connection.expire(at: moment(11))
        #expect(connection.phase == .closed)
    }

    @Test func `a connection may idle for 75 seconds between two requests`() {
        var connection = connection()
        _ = connection.receive(octets(request), at: moment(0))
        connection.answer(Response(status: 200), at: moment(1))
        _ = connection.sent(connection.output.count, at: moment(2))
        #expect(connection.phase == .idle)
        #expect(connection.deadline == moment(77).instant)
        connection.expire(at: moment(77))
        #expect(connection.phase == .closed)
    }

    @Test func `a second request has the time of a head from its own first octet`() {
        var connection = connection()
        _ = connection.receive(octets(request), at: moment(0))
        connection.answer(Response(status: 200), at: moment(0))
        _ = connection.sent(connection.output.count, at: moment(0))
        _ = connection.receive(octets("GET"), at: moment(50))
        #expect(connection.deadline == moment(60).instant)
    }

    @Test func `one request is in flight and the next waits behind its answer`() {
        var connection = connection()
        #expect(connection.receive(octets(request + request + "GE"), at: moment(0)) != nil)
        #expect(connection.receive(octets("T"), at: moment(0)) == nil)
        connection.answer(Response(status: 200), at: moment(0))
        #expect(connection.sent(connection.output.count - 1, at: moment(0)) == nil)
        #expect(connection.sent(1, at: moment(0)) != nil)
        connection.answer(Response(status: 200), at: moment(0))
        #expect(connection.sent(connection.output.count, at: moment(0)) == nil)
        #expect(connection.phase == .head)
    }

    @Test func `reading stops when enough is kept behind a request in flight`() {
        var connection = connection()
        _ = connection.receive(octets(request), at: moment(0))
        #expect(connection.wantsInput)
        _ = connection.receive(octets(String(repeating: "x", count: limits.pipelinedOctets)), at: moment(0))
        #expect(!connection.wantsInput)
    }

    @Test func `a part of a request is dropped when the client ends`() {
        var connection = connection()
        #expect(connection.receive(octets(push + "hell"), at: moment(0)) == nil)
        connection.receiveEnd()
        #expect(connection.phase == .closed)
    }

    @Test func `what arrives after the last answer is dropped, and only so much of it`() {
        var connection = connection()
        _ = connection.receive(octets("("), at: moment(0))
        _ = connection.sent(connection.output.count, at: moment(0))
        let flood = [UInt8](repeating: 0, count: limits.lingerOctets)[...]
        #expect(connection.receive(flood, at: moment(0)) == nil)
        #expect(connection.phase == .lingering)
        #expect(connection.receive([0], at: moment(0)) == nil)
        #expect(connection.phase == .closed)
    }

    @Test func `stopping closes what is idle and lets a request in flight finish`() {
        var idle = connection()
        idle.stop()
        #expect(idle.phase == .closed)

        var busy = connection()
        _ = busy.receive(octets(request + request), at: moment(0))
        busy.stop()
        busy.answer(Response(status: 200), at: moment(1))
        #expect(String(decoding: busy.output, as: UTF8.self).contains("Connection: close\r\n"))
        #expect(busy.sent(busy.output.count, at: moment(1)) == nil)
        #expect(!busy.isBusy)
    }

    @Test func `a refused HEAD has no content in its answer`() {
        var connection = connection()
        _ = connection.receive(octets("HEAD / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), at: moment(0))
        #expect(status(connection) == "400")
        #expect(String(decoding: connection.output, as: UTF8.self).hasSuffix("\r\n\r\n"))
    }
}
