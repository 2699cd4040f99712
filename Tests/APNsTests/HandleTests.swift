import RelayTesting
import Testing

@testable import APNs

@Suite struct HandleTests {
    /// A transfer that a pool has made, and nobody starts.
    private func transfer(from pool: inout HandlePool) async throws -> Transfer {
        let notification = Notification(
            deviceToken: try #require(DeviceToken(parsing: freshToken().utf8)),
            id: "6f0c4a36-36a4-4d3e-a6b9-5f0f7d0a1a11",
            payload: Array("{}".utf8),
            expiration: 0
        )
        var transfer: Transfer?
        _ = await withCheckedContinuation { continuation in
            let job = Job(notification: notification, deadline: .now, continuation: continuation)
            transfer = pool.transfer(of: job, bearer: "token", at: .now)
            continuation.resume(returning: .accepted)
        }
        return try #require(transfer)
    }

    private var pool: HandlePool {
        HandlePool(Client.Configuration(origin: "https://127.0.0.1:1", topic: "org.example.app"), Sockets())
    }

    @Test func `what went well leaves its handle to the next, which has it alone`() async throws {
        var pool = pool
        let first = try await transfer(from: &pool)
        pool.takeBack(first, hasFailed: false)
        let second = try await transfer(from: &pool)
        let third = try await transfer(from: &pool)
        #expect(second.handle === first.handle)
        #expect(third.handle !== first.handle)
    }

    @Test(arguments: [true, false])
    func `a handle is thrown away after a failure, and after a connection was opened meanwhile`(
        hasFailed: Bool
    ) async throws {
        var pool = pool
        let first = try await transfer(from: &pool)
        let settled = Transfer(
            handle: first.handle,
            job: first.job,
            bearer: first.bearer,
            startedAt: first.startedAt,
            openings: hasFailed ? first.openings : first.openings - 1
        )
        pool.takeBack(settled, hasFailed: hasFailed)
        #expect(try await transfer(from: &pool).handle !== first.handle)
    }

    @Test func `nothing of a request or its answer is left for the next one over the same handle`() async throws {
        let apple = try await AppleSimulator()
        let client = try Client(of: apple)
        // The first opens the connection.
        #expect(try await client.send(to: freshToken()) == .accepted)
        let long = Payload(title: "New Comment", body: String(repeating: "birds ", count: 500))
        #expect(try await client.send(to: freshToken("dead"), payload: long, collapseID: "banner").kind == .deviceGone)
        // A body that is none.
        let unread = try await client.send(to: freshToken("0bad3"))
        #expect(unread.rejection?.word == "")
        #expect(unread.rejection?.timestamp == nil)
        let token = freshToken()
        #expect(try await client.send(to: token) == .accepted)
        let request = try #require(await apple.requests(for: token).first)
        #expect(request.path == "/3/device/\(token)")
        #expect(request.payload == #"{"aps":{"alert":{"body":"vinz liked your post","title":"New Like"}}}"#)
        #expect(request.headers["apns-collapse-id"] == nil)
        #expect(request.remarks == [])
        #expect(try await apple.connections() == 1)
    }

    @Test func `a connection with nothing to do is woken by the next notification`() async throws {
        let apple = try await AppleSimulator.shared()
        // Shorter than it would sleep.
        let client = try Client(of: apple) { $0.deadline = .seconds(30) }
        for _ in 0..<3 { #expect(try await client.send(to: freshToken()) == .accepted) }
    }

    @Test func `a generation without room sleeps on when a job is posted that is due after those that wait`() {
        let now = ContinuousClock.now
        let full = Dispatcher.Sleep(hasRoom: false, end: now)
        #expect(!full.isEnded(by: now + .seconds(1)))
        #expect(full.isEnded(by: now - .seconds(1)))
        #expect(Dispatcher.Sleep(hasRoom: false, end: nil).isEnded(by: now))
        #expect(Dispatcher.Sleep(hasRoom: true, end: now).isEnded(by: now + .seconds(1)))
    }
}
