import Foundation
import RelayTesting
import Store

/// An app and the instance that notifies it, one request at a time, on a device of their own.
///
/// It writes down what it asks for before it asks, and what was promised when the answer is there.
actor KillOracleClient {
    /// A text that was pushed: no two notifications have the same.
    private struct Notification {
        var tries = 0
        /// The badge that the accepted try had to show.
        var accepted: Int??
        var badges: [Int?] = []
    }

    /// What was answered, for the record.
    struct Tally {
        var pushes = 0
        var registrations = 0
        var deletions = 0
        var settings = 0
        /// Requests that a kill left without an answer.
        var doubts = 0
    }

    let name: String
    private let accounts: [String]
    private(set) var device = PromisedDevice(token: freshToken())
    private(set) var objections: [String] = []
    private(set) var tally = Tally()
    private var generator: SeededGenerator
    private var connection: HTTPClient?
    /// What the relay dies of, while it is to.
    private var death: Death?
    private var notifications: [String: Notification] = [:]
    private var texts = 0
    /// Pushes to each row since the relay started: one has a burst of 20.
    private var spent: [String: Int] = [:]
    /// Endpoints to ask for after the next start.
    private var dead: [Endpoint] = []

    init(_ number: Int, seed: UInt64) {
        name = "client \(number)"
        // Two of them have more accounts than a device may have rows.
        accounts = (0..<(number < 2 ? 12 : 3)).map { "account \($0) of \(number)" }
        generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x1_0000_0001)
    }

    /// After a start: tries again what was not answered, as app and instance would, and asks for everything it has.
    func settle(with address: String, completely: Bool = false) async throws {
        connection = try HTTPClient(address)
        spent = [:]
        let doubt = device.doubt
        device.doubt = .nothing
        switch doubt {
        case .registration(let account): try await register(account)
        case .push(let id, let text):
            if let row = device.row(id) { try await push(text, to: row) }
        case .nothing, .deletion, .counter, .badges: break
        }
        for row in device.rows { try await push(newText(), to: row) }
        if completely { dead = device.gone }
        for endpoint in dead { try await expectGone(endpoint) }
        dead = []
    }

    /// Asks for one thing after the other until the relay is there no more.
    func work(until death: Death) async throws {
        self.death = death
        defer { self.death = nil }
        while true {
            do {
                try await act()
            } catch is HTTPClient.Failure {
                if case .nothing = device.doubt { return }
                tally.doubts += 1
                return
            }
        }
    }

    private func act() async throws {
        let row = device.rows.randomElement(using: &generator)
        switch (Int.random(in: 0..<100, using: &generator), row) {
        case (0..<45, let row?) where spent[row.id, default: 0] < 20: try await push(newText(), to: row)
        case (45..<55, let row?): try await count(row, as: .random(in: 0..<50, using: &generator))
        case (55..<60, let row?): try await count(row, as: nil)
        case (60..<70, let row?): try await show(row, badges: .random(using: &generator))
        case (70..<82, let row?): try await delete(row)
        case (82..<86, _): if let endpoint = device.gone.last { try await expectGone(endpoint) }
        default: try await register(accounts.randomElement(using: &generator) ?? "")
        }
    }

    private func newText() -> String {
        texts += 1
        return "\(name), \(texts)"
    }

    private func push(_ text: String, to row: PromisedDevice.Row) async throws {
        device.doubt = .push(id: row.id, text: text)
        notifications[text, default: Notification()].tries += 1
        spent[row.id, default: 0] += 1
        let message = #"{"notification_type":"comment","title":"New Comment","body":"\#(text)"}"#
        let answer = try await answer(Push.request(message, to: row.endpoint))
        switch answer.status {
        case 201:
            device.update(row.id) { $0.counter += 1 }
            notifications[text]?.accepted = .some(device.badge(of: row.id))
            tally.pushes += 1
        // Allowed, and not counted.
        case 429: break
        default: object("a push to \(row.id) was answered \(answer.status) \(answer.text)")
        }
    }

    private func register(_ account: String) async throws {
        device.doubt = .registration(account: account)
        let body = #"{"device_token":"\#(device.token)","account":"\#(account)"}"#
        let answer = try await ask("POST", "/subscribe", body)
        guard answer.status == 201 else { return object("a registration was answered \(answer.status)") }
        device.registered(try JSONDecoder().decode(Endpoint.self, from: Data(answer.body)), account: account)
        tally.registrations += 1
    }

    private func delete(_ row: PromisedDevice.Row) async throws {
        device.doubt = .deletion(id: row.id)
        let answer = try await ask("DELETE", row.endpoint.settings())
        guard answer.status == 204 else { return object("a deletion was answered \(answer.status)") }
        device.remove([row.id])
        dead.append(row.endpoint)
        tally.deletions += 1
    }

    /// Sets the counter; nil has it set to 0 by the route for that.
    private func count(_ row: PromisedDevice.Row, as count: Int?) async throws {
        device.doubt = .counter(id: row.id, count ?? 0)
        let route = row.endpoint.settings(count == nil ? "read" : "unread")
        let answer = try await ask("POST", route, count.map { #"{"count":\#($0)}"# } ?? "")
        guard answer.status == 204 else { return object("a counter was answered \(answer.status)") }
        device.update(row.id) { $0.counter = count ?? 0 }
        tally.settings += 1
    }

    private func show(_ row: PromisedDevice.Row, badges: Bool) async throws {
        device.doubt = .badges(id: row.id, badges)
        let answer = try await ask("POST", row.endpoint.settings("badges"), #"{"enabled":\#(badges)}"#)
        guard answer.status == 204 else { return object("a choice of badges was answered \(answer.status)") }
        device.update(row.id) { $0.showsBadges = badges }
        tally.settings += 1
    }

    private func expectGone(_ endpoint: Endpoint) async throws {
        let answer = try await answer(Push.request(Push.like, to: endpoint))
        if answer.status != 404 { object("\(endpoint.subscription_id) is gone, but was answered \(answer.status)") }
    }

    private func ask(_ method: String, _ target: String, _ json: String = "") async throws -> HTTPAnswer {
        let fields = [
            ("Authorization", "Bearer \(RelayProgram.subscribeToken)"), ("Content-Type", "application/json"),
        ]
        return try await answer(HTTPRequest(method, target, fields: fields, body: Array(json.utf8)))
    }

    /// With the answer there is no doubt any more: what calls this writes down what it says before it suspends again.
    private func answer(_ request: HTTPRequest) async throws -> HTTPAnswer {
        guard let connection else { throw HTTPClient.Failure("connect", 0) }
        let answer = try await connection.answer(to: request)
        death?.promised(device.doubt.promise)
        device.doubt = .nothing
        return answer
    }

    private func object(_ text: String) {
        objections.append("\(name): \(text)")
    }
}

extension KillOracleClient {
    /// Holds what a kill has left against what was answered, and says how many rows there have to be.
    func judge(_ copy: Store) async throws -> ClosedRange<Int> {
        var found: [String: Subscription] = [:]
        // Each was looked for when it went, and is again at the end; in between the youngest are.
        for endpoint in device.rows.map(\.endpoint) + device.gone.suffix(40) {
            found[endpoint.subscription_id] = try await copy.subscription(endpoint.storedID)
        }
        let known = device.gone.count
        let verdict = device.judge { found[$0.subscription_id] }
        dead += device.gone[known...]
        for objection in verdict.objections { object(objection) }
        let rows = device.rows.count
        return (rows + verdict.strangers.lowerBound)...(rows + verdict.strangers.upperBound)
    }

    /// Holds what Apple has got since the last time against what was accepted: at least once, at most once for each try.
    func judge(_ requests: [AppleRequest]) {
        var touched = Set(notifications.filter { $0.value.accepted != nil && $0.value.badges.isEmpty }.keys)
        for request in requests where request.token == device.token {
            guard let text = request.text, notifications[text] != nil else {
                object("Apple got what nobody sent: \(request.payload)")
                continue
            }
            notifications[text]?.badges.append(request.badge)
            touched.insert(text)
        }
        for (text, notification) in notifications where touched.contains(text) {
            let said = "of \"\(text)\" Apple got \(notification.badges) in \(notification.tries) tries"
            if notification.badges.count > notification.tries { object(said) }
            guard let badge = notification.accepted else { continue }
            if notification.badges.last != .some(badge) { object("\(said), not at last \(badge ?? -1)") }
        }
    }
}
