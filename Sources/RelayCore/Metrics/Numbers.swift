package import APNs
import HTTPServer
package import Store

/// Everything that the relay knows of itself, looked up where it is kept.
package struct Numbers: Sendable {
    private let configuration: Configuration
    private let meters: Meters
    private let failures: RecentFailures
    private let store: Store
    private let apple: Apple
    private let token: ProviderToken
    private let backups: Backups
    private let certificate: CertificateWatch
    private let clocks: Clocks
    private let linesLost: @Sendable () -> Int
    private let diskSpace: @Sendable (_ path: String) -> Int64?

    /// - Parameters:
    ///   - linesLost: how many lines of the log found no room.
    ///   - diskSpace: octets that may still be written at a path; nil where the system does not say.
    package init(
        configuration: Configuration,
        meters: Meters,
        failures: RecentFailures,
        store: Store,
        apple: Apple,
        token: ProviderToken,
        backups: Backups,
        certificate: CertificateWatch,
        clocks: Clocks,
        linesLost: @escaping @Sendable () -> Int,
        diskSpace: @escaping @Sendable (_ path: String) -> Int64? = Disk.space
    ) {
        self.configuration = configuration
        self.meters = meters
        self.failures = failures
        self.store = store
        self.apple = apple
        self.token = token
        self.backups = backups
        self.certificate = certificate
        self.clocks = clocks
        self.linesLost = linesLost
        self.diskSpace = diskSpace
    }

    /// All numbers as of now.
    ///
    /// - Parameter http: of the listener that pushes come to.
    func snapshot(http: Server.Load) async -> Snapshot {
        var snapshot = meters.snapshot()
        snapshot.apple = apple.traffic
        snapshot.providerTokenAge = token.age
        snapshot.subscriptions = try? await store.count()
        snapshot.subscriptionsLimit = configuration.maxSubscriptions
        snapshot.isDeletionGuardClosed = try? await store.isGuarded()
        snapshot.http = http
        snapshot.logLinesLost = linesLost()
        snapshot.process.read()
        let database = configuration.storeFiles.database
        snapshot.databaseSize = Disk.size(ofDatabase: database)
        snapshot.databaseDiskFree = diskSpace(database)
        snapshot.publicCertificateExpires = certificate.end
        if let plan = backups.plan {
            snapshot.backupLastSuccess = backups.newest ?? 0
            snapshot.backupInterval = plan.interval.components.seconds
            snapshot.backupDiskFree = diskSpace(plan.directory)
        }
        snapshot.backupFailures = backups.failures
        return snapshot
    }

    /// Adds what the last minutes came to to the figures by the hour; what cannot be written is added the next time.
    package func keepHours() async throws(StoreError) {
        let taken = meters.takeHours()
        for (place, figures) in taken.enumerated() {
            do throws(StoreError) { try await store.add(figures) } catch {
                meters.putBackHours(Array(taken[place...]))
                throw error
            }
        }
    }

    /// What the page tells.
    func report(http: Server.Load) async -> StatusReport {
        let snapshot = await snapshot(http: http)
        let now = clocks.now()
        var problems = Problems(snapshot, configuration, now: now)
        var facts = StatusReport.Facts(
            subscriptionCount: snapshot.subscriptions,
            subscriptionLimit: snapshot.subscriptionsLimit
        )
        var subscriptions: [StatusReport.Subscription]?
        var hours: [StatusReport.Hour]?
        do throws(StoreError) {
            try await store.check()
            try await keepHours()
            let summaries = try await store.summaries()
            facts.lastAccepted = summaries.compactMap(\.lastAcceptedAt).max()
            subscriptions = summaries.map(StatusReport.Subscription.init)
            hours = try await store.hours(since: now / 3_600 - 23).map(StatusReport.Hour.init)
        } catch {
            problems.add(.error, "The database cannot be used: \(error)")
        }
        if backups.isOverdue || backups.hasFailed {
            let overdue =
                backups.newest == nil
                ? "There is no backup yet" : "The newest backup is older than twice BACKUP_INTERVAL"
            problems.add(
                backups.isOverdue ? .error : .warning,
                backups.isOverdue ? overdue : "The last backup could not be made",
                remedy: "See what the last errors say of backups, and whether BACKUP_DIR can be written to"
            )
        }
        let entries = failures.entries
        problems.add(
            entries,
            hours ?? [],
            // The meters know of subscriptions that are gone, the rows of test alerts and of what was before the start.
            lastAccepted: max(facts.lastAccepted ?? 0, snapshot.lastAcceptedAt),
            now: now
        )
        facts.lastBackup = backups.newest
        facts.backupInterval = snapshot.backupInterval
        facts.databaseOctets = snapshot.databaseSize
        facts.diskFreeOctets = snapshot.databaseDiskFree
        facts.providerTokenAge = snapshot.providerTokenAge?.components.seconds
        facts.certificateDaysLeft = snapshot.publicCertificateExpires.map { Certificate.daysLeft(until: $0, at: now) }
        var report = StatusReport(
            version: relayVersion,
            now: now,
            runningSince: snapshot.process.startedAt ?? now,
            facts: facts
        )
        report.problems = problems.all
        report.subscriptions = subscriptions
        report.hours = hours
        report.lastErrors = entries
        return report
    }
}

extension Numbers {
    /// What is wrong, as far as the relay knows by itself.
    fileprivate struct Problems {
        private(set) var all: [StatusReport.Problem] = []

        init(_ snapshot: Snapshot, _ configuration: Configuration, now: Int64) {
            if snapshot.isDeletionGuardClosed == true {
                add(
                    .error,
                    "Apple disowned one device after the other, so none is deleted until it accepts a push",
                    remedy: "Check APNS_TOPIC and APNS_ENVIRONMENT"
                )
            }
            let days = snapshot.publicCertificateExpires.map { Certificate.daysLeft(until: $0, at: now) }
            if let days, days < CertificateEnd.warningDays {
                add(
                    days < CertificateEnd.errorDays ? .error : .warning,
                    "The certificate of \(configuration.publicURL) \(CertificateEnd.words(days))",
                    remedy: "Run `certbot renew`, then `nginx -s reload`"
                )
            }
            for free in [snapshot.databaseDiskFree, snapshot.backupDiskFree] {
                if let free, free < Disk.warningSpace {
                    add(
                        free < Disk.errorSpace ? .error : .warning,
                        "A disk that the relay writes to is nearly full: \(Words.size(free)) are left",
                        remedy: "Make room: without it nothing is counted, registered or backed up"
                    )
                }
            }
            if let count = snapshot.subscriptions, count >= snapshot.subscriptionsLimit {
                add(
                    .warning,
                    "There are as many subscriptions as there may be",
                    remedy: "Raise MAX_SUBSCRIPTIONS; if they are not your devices', change SUBSCRIBE_TOKEN"
                )
            }
            if snapshot.logLinesLost > 0 {
                add(
                    .warning,
                    "\(snapshot.logLinesLost) lines of the log were lost",
                    remedy: "See that whatever reads standard output keeps up, and that its disk is not full"
                )
            }
        }

        /// What the last hours came to: pushes that all fail, and a key or topic that Apple refuses.
        ///
        /// - Parameter lastAccepted: when Apple last accepted a push, a test alert among them; 0 for never.
        mutating func add(
            _ entries: [RecentFailures.Entry],
            _ hours: [StatusReport.Hour],
            lastAccepted: Int64,
            now: Int64
        ) {
            let recent = hours.filter { now - $0.start < 7_200 }
            let (failed, accepted) = recent.reduce((0, 0)) { ($0.0 + $1.failed, $0.1 + $1.accepted) }
            if let refusal = entries.first(where: { $0.event == "apple_refuses_configuration" }),
                refusal.time > lastAccepted, now - refusal.time < 86_400
            {
                add(
                    .error,
                    "Apple refuses the configuration (\(refusal.cause ?? ""))",
                    remedy: refusal.remedy ?? "Run `relay check`"
                )
            } else if failed > 0, accepted == 0, now - lastAccepted >= 7_200 {
                add(.error, "No push was accepted in the last hours, and \(failed) failed", remedy: "Run `relay check`")
            }
        }

        /// - Parameter what: with its remedy behind a colon, where there is no `remedy`.
        mutating func add(_ severity: StatusReport.Problem.Severity, _ what: String, remedy: String? = nil) {
            if let remedy { return all.append(StatusReport.Problem(severity, what, remedy: remedy)) }
            let colon = what.ranges(of: ": ").last
            all.append(
                StatusReport.Problem(
                    severity,
                    colon.map { String(what[..<$0.lowerBound]) } ?? what,
                    remedy: colon.map { String(what[$0.upperBound...]) } ?? "See the log"
                )
            )
        }
    }
}

extension StatusReport.Hour {
    fileprivate init(_ figures: HourlyFigures) {
        self.init(start: figures.hour * 3_600)
        (accepted, repeated, gone) = (figures.accepted, figures.repeated, figures.gone)
        (refused, limited, failed) = (figures.refused, figures.limited, figures.failed)
        guard figures.latencyCount > 0 else { return }
        (latencyMean, latencyMax) = (figures.latencyMilliseconds / figures.latencyCount, figures.latencyMost)
    }
}

extension StatusReport.Subscription {
    fileprivate init(_ summary: SubscriptionSummary) {
        self.init(
            label: summary.label,
            account: summary.account,
            hash: summary.id.shortName,
            created: summary.createdAt
        )
        environment = summary.environment
        lastAccepted = summary.lastAcceptedAt
        if let time = summary.lastFailedAt {
            lastFailure = StatusReport.Failure(time: time, text: summary.lastFailure ?? "")
        }
        (badge, showsBadges, isPinned) = (summary.badgeCount, summary.badgesEnabled, summary.isPinned)
    }
}
