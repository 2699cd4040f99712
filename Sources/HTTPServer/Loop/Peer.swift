/// A connection together with its socket.
final class Peer {
    /// Never used twice, unlike descriptors: an answer for a connection that has gone meets nobody.
    let serial: UInt64
    let socket: Socket
    var connection: Connection
    /// What it was last found to hold; see ``EventLoop/account(_:)``.
    var countedOctets = 0
    var interest: Poll.Interest = .input
    private var hasEndedSending = false

    init(serial: UInt64, socket: consuming Socket, connection: Connection) {
        self.serial = serial
        self.socket = socket
        self.connection = connection
    }

    /// Reads once and passes on what came; returns a request when it is complete.
    func receive(into buffer: inout [UInt8], at moment: Moment) -> Request? {
        switch socket.receive(into: &buffer) {
        case .octets(let count):
            return connection.receive(buffer[..<count], at: moment)
        case .end:
            connection.receiveEnd()
        case .failed:
            connection.close()
        case .blocked:
            break
        }
        return nil
    }

    /// Sends what the kernel takes; returns the next request of the connection when the answer before it is out.
    func send(at moment: Moment) -> Request? {
        while !connection.output.isEmpty {
            switch socket.send(connection.output) {
            case .octets(let count):
                if let request = connection.sent(count, at: moment) { return request }
            case .failed:
                connection.close()
            case .blocked:
                return nil
            }
        }
        if connection.phase == .lingering && !hasEndedSending {
            socket.endSending()
            hasEndedSending = true
        }
        return nil
    }

    /// What the socket is to be watched for now.
    var wanted: Poll.Interest {
        var wanted: Poll.Interest = connection.wantsInput ? .input : []
        if !connection.output.isEmpty { wanted.insert(.output) }
        return wanted
    }
}
