import APNs
import Foundation
import HTTPServer
import RelayTesting
import Synchronization
import Testing

@testable import RelayCore
@testable import Store

/// What the page calls wrong, and what it does not.
@Suite(.fewAtATime) struct NumbersReportTests {
    private static let day: Int64 = 86_400

    /// The numbers of a relay whose surroundings a test makes up.
    private final class Case {
        let relay: TestRelay
        let numbers: Numbers
        let backups: Backups
        let certificate: CertificateWatch
        let log: Log
        let world = World()
        private let folder: TemporaryFolder

        final class World: Sendable {
            let space = Mutex<Int64?>(1 << 40)
            let certificateEnd = Mutex<Int64?>(nil)
        }

        init(_ changes: [String: String] = [:]) async throws {
            let relay = try await TestRelay()
            let folder = try TemporaryFolder()
            let (clock, world) = (relay.clock, world)
            let clocks = Clocks(now: { clock.now }, uptime: { clock.uptime })
            var variables = [
                "PUBLIC_URL": "https://push.example.org", "DB_PATH": relay.databasePath,
                "SUBSCRIBE_TOKEN": "0123456789abcdef", "APNS_KEY_FILE": relay.apple.ready.key,
                "APNS_KEY_ID": "ABC123DEFG", "APNS_TEAM_ID": "DEF123GHIJ", "APNS_TOPIC": "org.example.app",
                "BACKUP_DIR": folder.path("backups"),
            ]
            variables.merge(changes) { $1 }
            let configuration = try Configuration(variables: variables)
            let failures = RecentFailures(now: clocks.now)
            let log = Log(level: .error, format: .text, failures: failures) { _ in }
            let backups = Backups(plan: configuration.backups, store: relay.store, clocks: clocks, log: log)
            let certificate = CertificateWatch(
                publicURL: configuration.publicURL,
                clocks: clocks,
                log: log,
                probe: { _ throws(ProbeError) in
                    guard let end = world.certificateEnd.withLock(\.self) else { throw .timedOut }
                    return ProbeAnswer(status: 200, chain: [Certificate(subject: "", issuer: "", notAfter: end)])
                }
            )
            (self.relay, self.folder, self.backups, self.certificate, self.log) =
                (relay, folder, backups, certificate, log)
            numbers = Numbers(
                configuration: configuration,
                meters: relay.meters,
                failures: failures,
                store: relay.store,
                apple: relay.services,
                token: ProviderToken(
                    key: configuration.providerKey,
                    clock: ProviderToken.Clock(now: clocks.now, uptime: clocks.uptime)
                ),
                backups: backups,
                certificate: certificate,
                clocks: clocks,
                linesLost: { 0 },
                diskSpace: { _ in world.space.withLock(\.self) }
            )
        }

        func report() async -> StatusReport { await numbers.report(http: Server.Load()) }

        /// Each problem, as `error: what`.
        func problems() async -> [String] { await report().problems.map { "\($0.severity): \($0.what)" } }

        /// Apple refuses a push, as the log has it and the figures by the hour.
        func refuse() {
            log(.error, "apple_refuses_configuration", ["cause": "403 Forbidden", "remedy": "see to it"])
            fail()
        }

        func fail() {
            relay.meters.pushBegan()
            relay.meters.pushEnded(.failed, at: relay.clock.now)
        }
    }

    @Test func `where nothing is wrong there is no problem`() async throws {
        let one = try await Case()
        await one.backups.makeIfDue()
        _ = try await one.relay.subscribe()
        let report = await one.report()
        #expect(report.problems.map(\.what) == [])
        #expect(report.facts.subscriptionCount == 1)
        #expect(report.subscriptions?.count == 1)
    }

    @Test(
        arguments: [
            (512 << 20, nil), ((512 << 20) - 1, "warning"), (64 << 20, "warning"), ((64 << 20) - 1, "error"),
            (nil, nil),
        ] as [(Int64?, String?)]
    )
    func `little room on a disk is soon a problem, and none is one`(space: Int64?, severity: String?) async throws {
        let one = try await Case()
        one.world.space.withLock { $0 = space }
        let problems = await one.problems()
        // One for the database's disk and one for that of the backups.
        #expect(problems.count == (severity == nil ? 0 : 2))
        #expect(problems.allSatisfy { $0.hasPrefix("\(severity ?? ""): A disk that the relay writes to is nearly") })
    }

    @Test(
        arguments: [
            (14, nil), (13, "warning: …ends in 13 days"), (3, "warning: …ends in 3 days"),
            (2, "error: …ends in 2 days"), (1, "error: …ends in 1 day"), (0, "error: …ends today"),
            (-1, "error: …ended 1 day ago"), (-40, "error: …ended 40 days ago"),
        ] as [(Int64, String?)]
    )
    func `a certificate is a problem before its end and behind it`(days: Int64, problem: String?) async throws {
        let one = try await Case()
        one.world.certificateEnd.withLock { $0 = one.relay.clock.now + days * Self.day }
        one.certificate.lookIfDue()
        let whole = problem?.replacing("…", with: "The certificate of https://push.example.org ")
        #expect(await one.problems() == [whole].compactMap(\.self))
        #expect(await one.report().facts.certificateDaysLeft == Int(days))
    }

    @Test func `as many subscriptions as there may be are a problem`() async throws {
        let one = try await Case(["MAX_SUBSCRIPTIONS": "2"])
        _ = try await one.relay.subscribe()
        #expect(await one.problems() == [])
        _ = try await one.relay.subscribe()
        #expect(await one.problems() == ["warning: There are as many subscriptions as there may be"])
    }

    @Test func `a refusal of Apple's is a problem for a day, or until it accepts a push`() async throws {
        let one = try await Case()
        let subscription = try await one.relay.subscribe()
        one.refuse()
        let refused = ["error: Apple refuses the configuration (403 Forbidden)"]
        #expect(await one.problems() == refused)
        one.relay.clock.advance(by: 60)
        // What a test alert leaves: no push of the hour's.
        let id = SubscriptionID(hashing: Array(subscription.id.utf8))
        await one.relay.store.note(id, acceptedAt: one.relay.clock.now)
        #expect(await one.problems() == [])
        one.relay.clock.advance(by: 1)
        one.refuse()
        #expect(await one.problems() == refused)
        one.relay.clock.advance(by: Self.day)
        await one.backups.makeIfDue()
        #expect(await one.problems() == [])
    }

    @Test func `pushes that all failed are a problem until one is accepted`() async throws {
        let one = try await Case()
        let subscription = try await one.relay.subscribe()
        one.fail()
        #expect(await one.problems() == ["error: No push was accepted in the last hours, and 1 failed"])
        one.relay.clock.advance(by: 60)
        let id = SubscriptionID(hashing: Array(subscription.id.utf8))
        await one.relay.store.note(id, acceptedAt: one.relay.clock.now)
        #expect(await one.problems() == [])
    }

    @Test func `backups that are overdue are a problem, and one that failed is soon one`() async throws {
        let one = try await Case()
        await one.backups.makeIfDue()
        one.relay.clock.advance(by: 2 * Self.day + 1)
        #expect(await one.problems() == ["error: The newest backup is older than twice BACKUP_INTERVAL"])

        let failing = try await Case()
        await failing.backups.makeIfDue()
        failing.relay.clock.advance(by: Self.day)
        try await failing.relay.store.close()
        await failing.backups.makeIfDue()
        #expect(await failing.problems().contains("warning: The last backup could not be made"))

        let hopeless = try await Case(["BACKUP_DIR": "/dev/null/backups"])
        await hopeless.backups.makeIfDue()
        #expect(await hopeless.problems() == ["error: There is no backup yet"])
    }

    @Test func `a database that cannot be read is a problem, and no figure of 0`() async throws {
        let one = try await Case()
        _ = try await one.relay.subscribe()
        try await one.relay.store.close()
        let report = await one.report()
        #expect(report.problems.first?.severity == .error)
        #expect(report.problems.first?.what.hasPrefix("The database cannot be used: ") == true)
        #expect(report.subscriptions == nil)
        #expect(report.hours == nil)
        #expect(report.facts.subscriptionCount == nil)
        #expect(!String(decoding: StatusPage(report).octets, as: UTF8.self).contains("0 of at most"))
    }
}
