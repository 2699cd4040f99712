import Foundation
import RelayTesting
import Store

/// What the relay has answered for on one device, and the one request that it may have been killed over.
struct PromisedDevice: Sendable {
    /// A subscription whose 201 has come, and which nothing has taken away since.
    struct Row: Sendable {
        let endpoint: Endpoint
        let account: String
        var counter = 0
        var showsBadges = true

        var id: String { endpoint.subscription_id }
    }

    /// A request that was sent and not answered: it was done or it was not, whole, and for good.
    enum Doubt: Sendable {
        case nothing
        case registration(account: String)
        case deletion(id: String)
        case push(id: String, text: String)
        case counter(id: String, Int)
        case badges(id: String, Bool)

        var promise: Promise? {
            switch self {
            case .nothing: nil
            case .registration: .registration
            case .deletion: .deletion
            case .push: .push
            case .counter: .counter
            case .badges: .badges
            }
        }
    }

    /// What an answer says is so from now on.
    enum Promise: CaseIterable, Sendable {
        case registration, deletion, push, counter, badges
    }

    /// What was found where it was looked at.
    struct Verdict {
        var objections: [String] = []
        /// How many rows there may be whose id was never answered.
        var strangers = 0...0
    }

    let token: String
    /// Oldest first.
    private(set) var rows: [Row] = []
    /// Endpoints that were replaced, evicted or deleted: 404 for ever.
    private(set) var gone: [Endpoint] = []
    var doubt = Doubt.nothing

    init(token: String) { self.token = token }

    func row(_ id: String) -> Row? { rows.first { $0.id == id } }

    /// What the next push of a row shows: nil without badges, otherwise the sum over the device.
    func badge(of id: String) -> Int? {
        guard row(id)?.showsBadges == true else { return nil }
        return rows.filter(\.showsBadges).reduce(0) { $0 + $1.counter }
    }

    mutating func registered(_ endpoint: Endpoint, account: String) {
        remove(replaced(by: account))
        rows.append(Row(endpoint: endpoint, account: account))
    }

    mutating func remove(_ ids: Set<String>) {
        gone += rows.filter { ids.contains($0.id) }.map(\.endpoint)
        rows.removeAll { ids.contains($0.id) }
    }

    mutating func update(_ id: String, _ change: (inout Row) -> Void) {
        guard let index = rows.firstIndex(where: { $0.id == id }) else { return }
        change(&rows[index])
    }

    /// What a registration takes away: the account's row, and what is then older than the nine that stay beside it.
    private func replaced(by account: String) -> Set<String> {
        let others = rows.filter { $0.account != account }
        return Set((rows.filter { $0.account == account } + others.dropLast(9)).map(\.id))
    }

    /// Holds what a kill has left against what was answered; what it decided about the doubt holds from then on.
    ///
    /// - Parameter stored: the row of an endpoint, if there is one.
    mutating func judge(_ stored: (Endpoint) -> Subscription?) -> Verdict {
        var verdict = Verdict()
        let missing = Set(rows.filter { stored($0.endpoint) == nil }.map(\.id))
        var mayMiss: Set<String> = []
        switch doubt {
        case .deletion(let id): mayMiss = [id]
        case .registration(let account):
            mayMiss = replaced(by: account)
            // It is one transaction: what it takes away is gone exactly if what it brings is there.
            verdict.strangers = mayMiss.isEmpty ? 0...1 : missing.isEmpty ? 0...0 : 1...1
        case .nothing, .push, .counter, .badges: break
        }
        if !missing.isEmpty, missing != mayMiss {
            verdict.objections.append("lost \(missing.sorted()) of \(rows.map(\.id)) with \(doubt)")
        }
        for endpoint in gone where stored(endpoint) != nil {
            verdict.objections.append("\(endpoint.subscription_id) was taken away and is there")
        }
        remove(missing)
        for index in rows.indices {
            guard let found = stored(rows[index].endpoint) else { continue }
            verdict.objections += judge(&rows[index], found)
        }
        return verdict
    }

    private func judge(_ row: inout Row, _ found: Subscription) -> [String] {
        var (counters, switches) = ([row.counter], [row.showsBadges])
        switch doubt {
        case .push(row.id, _): counters.append(row.counter + 1)
        case .counter(row.id, let count): counters.append(count)
        case .badges(row.id, let enabled): switches.append(enabled)
        case .nothing, .registration, .deletion, .push, .counter, .badges: break
        }
        var objections: [String] = []
        if !counters.contains(found.badgeCount) {
            objections.append("\(row.id) counts \(found.badgeCount), not one of \(counters), with \(doubt)")
        }
        if !switches.contains(found.badgesEnabled) {
            objections.append("\(row.id) has badges \(found.badgesEnabled) with \(doubt)")
        }
        if found.deviceToken != token || Array(found.account.utf8) != Array(row.account.utf8) {
            objections.append("\(row.id) is another's")
        }
        row.counter = found.badgeCount
        row.showsBadges = found.badgesEnabled
        return objections
    }
}
