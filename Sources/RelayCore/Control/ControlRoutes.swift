import Crypto
import FoundationEssentials
package import HTTPServer
package import Store

/// What the operator's commands ask of the running relay, over a socket that its user alone can open.
///
/// Only one process may have the database open, so that what a command wants of it goes through here. Where no relay runs
/// the command opens the database itself and asks the same routes.
package struct ControlRoutes: Sendable {
    private let store: Store
    private let tickets: Tickets
    private let limits: PushLimits
    private let backups: Backups
    private let files: StoreFiles
    private let log: Log

    package init(
        store: Store,
        files: StoreFiles,
        tickets: Tickets,
        limits: PushLimits,
        backups: Backups,
        log: Log
    ) {
        self.store = store
        self.files = files
        self.tickets = tickets
        self.limits = limits
        self.backups = backups
        self.log = log
    }

    /// For a command where no relay runs, and nobody can send anything to a ticket.
    package init(alone store: Store, files: StoreFiles, backups plan: BackupPlan?) {
        let clocks = Clocks.system
        let log = Log(level: .error, format: .text) { _ in }
        self.init(
            store: store,
            files: files,
            tickets: Tickets(uptime: clocks.uptime),
            limits: PushLimits(uptime: clocks.uptime),
            backups: Backups(plan: plan, store: store, clocks: clocks, log: log),
            log: log
        )
    }

    /// What may be read of a body.
    package static func bodyRule(for head: Head) -> BodyRule {
        BodyRule(limit: 8_192, isRequired: false)
    }

    /// The answer to a request; there is always one.
    package func respond(to request: Request) async -> Response {
        do throws(ControlError) { return try await answer(request) } catch {
            return .problem(error.status, error.word, error.message)
        }
    }

    private func answer(_ request: Request) async throws(ControlError) -> Response {
        let path = String(decoding: request.head.target, as: UTF8.self).split(separator: "/").map(String.init)
        switch (request.head.method, path.first, path.count) {
        case ("GET", "subscriptions", 1): return try json(await reports())
        case ("GET", "facts", 1):
            return try json(
                await ControlError.mapping { () async throws(StoreError) in
                    try await DatabaseFacts(store, files, backups)
                }
            )
        case ("POST", "probe", 1): return try json(probe())
        case ("POST", "backup", 1): return try json(await backUp(request))
        case ("POST", "subscriptions", 3) where path[2] == "test": return try json(await testTicket(path[1]))
        case ("POST", "subscriptions", 3) where path[2] == "remove": return try json(await remove(path[1]))
        default: throw .unknownRoute
        }
    }

    private func json(_ value: some Encodable) throws(ControlError) -> Response {
        do throws(RelayError) { return try .json(200, value) } catch { throw .failed("cannot write its answer") }
    }

    private func reports() async throws(ControlError) -> [SubscriptionReport] {
        try await ControlError.mapping { () async throws(StoreError) in try await store.summaries() }
            .map(SubscriptionReport.init)
    }

    /// The one subscription that a hash names.
    private func find(_ hash: String) async throws(ControlError) -> (id: SubscriptionID, report: SubscriptionReport) {
        let hash = hash.lowercased()
        guard SubscriptionID.isName(hash) else { throw .malformedHash }
        let found = try await ControlError.mapping { () async throws(StoreError) in
            try await store.subscriptions(named: hash)
        }
        guard let summary = found.first else { throw .unknownSubscription }
        guard found.count == 1 else { throw .ambiguous(found) }
        return (summary.id, SubscriptionReport(summary))
    }

    private func remove(_ hash: String) async throws(ControlError) -> SubscriptionReport {
        let found = try await find(hash)
        _ = try await ControlError.mapping { () async throws(StoreError) in try await store.delete(found.id) }
        limits.forget(found.id)
        log(.info, "unsubscribed", ["subscription": found.id.shortName, "by": "operator"])
        return found.report
    }

    private func testTicket(_ hash: String) async throws(ControlError) -> TestTicket {
        let found = try await find(hash)
        let row = try await ControlError.mapping { () async throws(StoreError) in
            try await store.subscription(found.id)
        }
        guard let row else { throw .unknownSubscription }
        let message: [UInt8]
        do throws(CryptoError) {
            message = try TestAlert.sealed(for: row)
        } catch {
            throw .failed("cannot encrypt: \(error)")
        }
        let path = try issue(.test(found.id))
        return TestTicket(path: path, message: Base64URL.encode(message), subscription: found.report)
    }

    private func issue(_ purpose: Tickets.Purpose) throws(ControlError) -> String {
        let path: String?
        do throws(CryptoError) { path = try tickets.issue(purpose) } catch { throw .failed("has no random numbers") }
        guard let path else { throw .tooManyTickets }
        return path
    }

    private func probe() throws(ControlError) -> ProbeTicket {
        let answer: [UInt8]
        do throws(CryptoError) { answer = try Random.octets(32) } catch { throw .failed("has no random numbers") }
        return ProbeTicket(path: try issue(.probe(answer: answer)), answer: Base64URL.encode(answer))
    }

    private func backUp(_ request: Request) async throws(ControlError) -> BackupReport {
        let wanted: BackupRequest
        do throws(JSON.Malformed) { wanted = try JSON.decode(request.body) } catch { throw .failed(error.text) }
        // What begins with its name is the database's own, or would be taken for it.
        if let path = wanted.path, path.hasPrefix(files.database) { throw .ownFile }
        return try await backups.make(at: wanted.path)
    }
}

extension SubscriptionReport {
    init(_ summary: SubscriptionSummary) {
        self.init(
            hash: summary.id.shortName,
            device: summary.device,
            label: summary.label,
            account: summary.account,
            environment: summary.environment,
            createdAt: summary.createdAt,
            lastAcceptedAt: summary.lastAcceptedAt,
            lastFailedAt: summary.lastFailedAt,
            lastFailure: summary.lastFailure,
            badge: summary.badgeCount,
            badgesEnabled: summary.badgesEnabled,
            isPinned: summary.isPinned
        )
    }

    /// How a person knows it, with nothing in it that a terminal would act on; nil where nobody gave it a name.
    package var name: String? {
        let words = [label, account].filter { !$0.isEmpty }.map(\.printable)
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}
