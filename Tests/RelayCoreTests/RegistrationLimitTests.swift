import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite("What may be registered, by everybody together") struct RegistrationLimitTests {
    /// Registers as many fresh devices.
    private func fill(_ relay: TestRelay, _ count: Int) async throws {
        for _ in 0..<count { _ = try await relay.subscribe() }
    }

    private func register(_ device: String, account: String = "", at relay: TestRelay) async -> (Int, String?, String?)
    {
        let response = await relay.app("POST", "/subscribe", #"{"device_token":"\#(device)","account":"\#(account)"}"#)
        return (response.status, response.errorWord, response.value("Retry-After"))
    }

    // MARK: Subscriptions in total

    @Test func `S-27: past MAX_SUBSCRIPTIONS a new device is told to come again later, and nobody goes for it`()
        async throws
    {
        let relay = try await TestRelay(maxSubscriptions: 5)
        let first = try await relay.subscribe()
        try await fill(relay, 4)
        for _ in 0..<20 {
            #expect(await register(freshToken(), at: relay) == (503, "too_many_subscriptions", "3600"))
        }
        #expect(try await relay.store.count() == 5)
        #expect(try await relay.push(to: first).status == 201)
    }

    @Test func `at the cap what exists is renewed, under a new id as ever`() async throws {
        let relay = try await TestRelay(maxSubscriptions: 5)
        let device = freshToken()
        let old = try await relay.subscribe(device, account: "alice")
        try await fill(relay, 4)
        let new = try await relay.subscribe(device, account: "alice")
        #expect(try await relay.push(to: old).status == 404)
        #expect(try await relay.push(to: new).status == 201)
        // Another account of the same device is one more, and refusing it leaves the others as they were.
        #expect(await register(device, account: "bob", at: relay).0 == 503)
        #expect(try await relay.store.count() == 5)
        #expect(try await relay.push(TestRelay.comment, to: new).status == 201)
    }

    @Test func `at the cap a device with ten accounts trades its own oldest for an eleventh`() async throws {
        let relay = try await TestRelay(maxSubscriptions: 11)
        let stranger = try await relay.subscribe()
        let device = freshToken()
        var own: [TestSubscription] = []
        for number in 0..<11 { own.append(try await relay.subscribe(device, account: "\(number)")) }
        #expect(try await relay.store.count() == 11)
        #expect(try await relay.push(to: own[0]).status == 404)
        #expect(try await relay.push(to: own[10]).status == 201)
        #expect(try await relay.push(to: stranger).status == 201)
    }

    @Test func `a cap below what there is lets all of them stay, and room that is made is used`() async throws {
        let before = try await TestRelay()
        let device = freshToken()
        _ = try await before.subscribe(device)
        let others = [try await before.subscribe(), try await before.subscribe()]
        try await before.store.close()
        let relay = try await TestRelay(maxSubscriptions: 2, restarting: before)
        _ = try await relay.subscribe(device)
        #expect(await register(freshToken(), at: relay).0 == 503)
        for other in others { #expect(await relay.app("DELETE", "/subscribe/\(other.id)").status == 204) }
        #expect(await register(freshToken(), at: relay).0 == 201)
        #expect(await register(freshToken(), at: relay).0 == 503)
    }

    @Test func `a hundred at once do not get past the cap`() async throws {
        let relay = try await TestRelay(maxSubscriptions: 10)
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { await register(freshToken(), at: relay).0 } }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(statuses == [201: 10, 503: 90])
        #expect(try await relay.store.count() == 10)
    }

    @Test func `the operator reads once a minute that the table is full, and what to do`() async throws {
        let relay = try await TestRelay(maxSubscriptions: 1)
        try await fill(relay, 1)
        for _ in 0..<10 { _ = await register(freshToken(), at: relay) }
        func errors() -> [String] { relay.logLines.filter { $0.contains(" level=error ") } }
        #expect(errors().count == 1)
        #expect(errors()[0].contains("raise MAX_SUBSCRIPTIONS"))
        relay.clock.advance(by: 60)
        _ = await register(freshToken(), at: relay)
        #expect(errors().count == 2)
        #expect(errors()[1].contains(" left_out=9"))
    }

    // MARK: Registrations within an hour

    @Test func `S-27: of 10,000 different devices as many get in as may within an hour`() async throws {
        let relay = try await TestRelay(registrationsPerHour: 120)
        var statuses: [Int: Int] = [:]
        for _ in 0..<10_000 { statuses[await register(freshToken(), at: relay).0, default: 0] += 1 }
        #expect(statuses == [201: 120, 429: 9_880])
        #expect(try await relay.store.count() == 120)
        #expect(relay.logLines.count { $0.contains(" level=warning ") } == 1)
    }

    @Test func `one more gets in every 30 seconds, whatever is done to the wall clock`() async throws {
        let relay = try await TestRelay(registrationsPerHour: 120)
        try await fill(relay, 120)
        #expect(await register(freshToken(), at: relay) == (429, "too_many_registrations", "30"))
        for now in [0, 1_900_000_000] as [Int64] {
            relay.clock.set(now: now)
            #expect(await register(freshToken(), at: relay).0 == 429)
        }
        relay.clock.advance(by: 29)
        #expect(await register(freshToken(), at: relay) == (429, "too_many_registrations", "1"))
        relay.clock.advance(by: 1)
        #expect(await register(freshToken(), at: relay).0 == 201)
        #expect(await register(freshToken(), at: relay).0 == 429)
        relay.clock.advance(by: 3_600)
        try await fill(relay, 120)
        #expect(await register(freshToken(), at: relay).0 == 429)
    }

    @Test func `what is no registration is not counted as one`() async throws {
        let relay = try await TestRelay(registrationsPerHour: 1)
        for body in ["", "{", #"{"device_token":"xyz"}"#, #"{"device_token":"\#(freshToken())","label":7}"#] {
            #expect(await relay.app("POST", "/subscribe", body).status == 400)
        }
        let wellFormed = Array(#"{"device_token":"\#(freshToken())"}"#.utf8)
        #expect(await relay.request("POST", "/subscribe", body: wellFormed).status == 401)
        #expect(await register(freshToken(), at: relay).0 == 201)
        #expect(await register(freshToken(), at: relay).0 == 429)
    }

    @Test func `what was not taken for a full table or a fault of the database is not counted either`() async throws {
        let relay = try await TestRelay(maxSubscriptions: 1, registrationsPerHour: 2)
        let first = try await relay.subscribe()
        for _ in 0..<5 { #expect(await register(freshToken(), at: relay).1 == "too_many_subscriptions") }
        let lock = try WriteLock(relay.databasePath)
        for _ in 0..<5 { #expect(await register(freshToken(), at: relay).0 == 503) }
        try lock.release()
        #expect(await relay.app("DELETE", "/subscribe/\(first.id)").status == 204)
        #expect(await register(freshToken(), at: relay).0 == 201)
        #expect(await register(freshToken(), at: relay).1 == "too_many_registrations")
    }

    @Test func `who may not register now can still set badges, sign off and be pushed to`() async throws {
        let relay = try await TestRelay(registrationsPerHour: 1)
        let subscription = try await relay.subscribe()
        #expect(await register(freshToken(), at: relay).0 == 429)
        #expect(try await relay.push(to: subscription).status == 201)
        let path = "/subscribe/\(subscription.id)"
        #expect(await relay.app("POST", "\(path)/unread", #"{"count":1}"#).status == 204)
        #expect(await relay.app("DELETE", path).status == 204)
    }
}

extension Store {
    fileprivate func count() throws(StoreError) -> Int {
        let count = try open().connection.prepare("SELECT count(*) FROM subscriptions", for: .read)
        return Int(try count.first { $0.integer(0) } ?? 0)
    }
}
