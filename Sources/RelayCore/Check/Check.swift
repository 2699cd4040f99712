package import APNs
package import Store

/// The doctor: looks at everything that has to be right before a push arrives, one thing after the other.
///
/// It blocks the calling thread for as long as name servers and peers take, a minute where nothing answers at all.
package struct Check {
    /// What it asks of the world outside; a test has its own.
    package struct World: Sendable {
        package var resolve: @Sendable (String) throws(ProbeError) -> [String] = APNs.resolve
        package var answer: @Sendable (Probe) throws(ProbeError) -> ProbeAnswer = { probe throws(ProbeError) in
            try probe.answer()
        }
        package var clocks = Clocks.system

        package init() {}
    }

    /// Sends a notification as the relay would, with its provider token, to the service of `APNS_ENVIRONMENT`.
    package typealias Push = (Configuration, Notification) -> Outcome

    /// What is known of the database, from the relay that runs or from the file.
    package typealias Look = (StoreFiles, BackupPlan?) -> Result<DatabaseFacts, Unavailable>

    /// Has the running relay answer one POST; nil when none runs.
    package typealias Announce = (StoreFiles) -> Result<Announcement?, Unavailable>

    /// Why nobody could tell: a lower-case sentence that ends in a remedy.
    package struct Unavailable: Error, Sendable {
        package let sentence: String

        package init(_ sentence: String) {
            self.sentence = sentence
        }
    }

    private let variables: [String: String]
    private let unknown: [String]
    private let isOffline: Bool
    private let world: World
    private let configuration: Result<Configuration, Problems>

    /// - Parameters:
    ///   - unknown: names in the environment file that are no variables.
    ///   - isOffline: leaves out all that needs a network.
    package init(variables: [String: String], unknown: [String] = [], isOffline: Bool, world: World = World()) {
        self.variables = variables
        self.unknown = unknown
        self.isOffline = isOffline
        self.world = world
        do throws(Problems) {
            configuration = .success(try Configuration(variables: variables))
        } catch {
            configuration = .failure(error)
        }
    }

    /// All lines, in an order in which what comes first explains what comes later.
    package func run(push: Push, database look: Look, announce: Announce) -> [CheckLine] {
        var lines = configurationLines
        lines += [keyFile].compactMap(\.self)
        let services = appleLines
        lines += [services.clock, authorities].compactMap(\.self) + services.hosts
        lines += [providerToken(push)]
        lines += databaseLines(look)
        lines += publicLines(announce)
        return lines
    }
}

// What this machine tells.
extension Check {
    private var configurationLines: [CheckLine] {
        switch configuration {
        case .success(let configuration):
            CheckLine.configuration(variables, warnings: configuration.warnings, unknown: unknown)
        case .failure(let problems):
            CheckLine.configuration(variables, problems: problems.all, unknown: unknown)
        }
    }

    /// Nil where there is no path, which the configuration's lines say already.
    private var keyFile: CheckLine? {
        guard let path = variables[Variable.apnsKeyFile.rawValue], !path.isEmpty else { return nil }
        return CheckLine.keyFile(path, read(path), keyID: variables[Variable.apnsKeyID.rawValue])
    }

    private var authorities: CheckLine {
        let own = variables[Variable.apnsCAFile.rawValue].flatMap { $0.isEmpty ? nil : $0 }
        let path = own ?? SystemCertificates.path
        return CheckLine.authorities(path, path.map(read))
    }

    private func read(_ path: String) -> Result<File, FileError> {
        do throws(FileError) { return .success(try File.read(path)) } catch { return .failure(error) }
    }

    private func databaseLines(_ look: Look) -> [CheckLine] {
        guard let files = try? StoreFiles(variables: variables) else {
            let isSet = variables[Variable.databasePath.rawValue].map { !$0.isEmpty } ?? false
            return [CheckLine("database", .skipped, isSet ? "mend the configuration first" : "set DB_PATH first")]
        }
        // Not the whole configuration's: what else is wrong there says nothing of backups.
        let plan: Result<BackupPlan?, Problems>
        do throws(Problems) { plan = .success(try BackupPlan.read(variables)) } catch { plan = .failure(error) }
        let facts = look(files, (try? plan.get()) ?? nil)
        return CheckLine.database(facts, backups: plan, now: world.clocks.now())
    }
}

// What the network tells.
extension Check {
    /// The configuration, or why nothing is asked of the network.
    private var online: Result<Configuration, Skipped> {
        guard !isOffline else { return .failure(Skipped(reason: "left out: --offline")) }
        return configuration.mapError { _ in Skipped(reason: "mend the configuration first") }
    }

    private struct Skipped: Error {
        let reason: String

        func line(_ name: String) -> CheckLine { CheckLine(name, .skipped, reason) }
    }

    private func answer(_ probe: Probe) -> Result<ProbeAnswer, ProbeError> {
        do throws(ProbeError) { return .success(try world.answer(probe)) } catch { return .failure(error) }
    }

    private func addresses(of host: String) -> Result<[String], ProbeError> {
        do throws(ProbeError) { return .success(try world.resolve(host)) } catch { return .failure(error) }
    }

    private var appleLines: (clock: CheckLine, hosts: [CheckLine]) {
        var origins = Environment.allCases.map { (name: "Apple \($0.rawValue)", origin: $0.origin) }
        if let origin = variables[Variable.apnsURL.rawValue], !origin.isEmpty {
            origins = [("Apple's substitute", (try? configuration.get().appleURL) ?? origin)]
        }
        let configuration: Configuration
        switch online {
        case .success(let online): configuration = online
        case .failure(let skipped): return (skipped.line("clock"), origins.map { skipped.line($0.name) })
        }
        var clock: CheckLine?
        let hosts = origins.map { name, origin in
            // Any answer will do; to a GET it is a refusal.
            var probe = Probe(.get, "\(origin)/")
            probe.version = .http2
            probe.certificateAuthorities = configuration.certificateAuthorities
            let answer = answer(probe)
            if clock == nil, case .success(let answer) = answer, let date = answer.date {
                clock = CheckLine.clock(date, now: world.clocks.now())
            }
            return CheckLine.apple(name, host: PublicOrigin(origin)?.host ?? origin, answer)
        }
        return (clock ?? CheckLine.clock(nil, now: world.clocks.now()), hosts)
    }

    private func providerToken(_ push: Push) -> CheckLine {
        let configuration: Configuration
        switch online {
        case .success(let online): configuration = online
        case .failure(let skipped): return skipped.line("provider token")
        }
        guard let notification = try? Notification.forNobody() else {
            let remedy = "report this as a fault of the relay"
            return CheckLine("provider token", .failed, "cannot be tried", remedy: remedy)
        }
        let outcome = push(configuration, notification)
        let environment = configuration.appleURL == nil ? "Apple's \(configuration.environment.rawValue)" : "APNS_URL"
        return CheckLine.providerToken(outcome, environment: environment, now: world.clocks.now())
    }

    private func publicLines(_ announce: Announce) -> [CheckLine] {
        let configuration: Configuration
        switch online {
        case .success(let online): configuration = online
        case .failure(let skipped): return CheckLine.publicURLNames.map(skipped.line)
        }
        guard let origin = PublicOrigin(configuration.publicURL) else { return [] }
        let first = CheckLine.publicURL(origin)
        guard origin.isSecure else { return [first] }
        let certificate = answer(Probe(.get, "\(origin.url)/healthz"))
        return [
            first,
            CheckLine.publicAddresses(origin.host, addresses(of: origin.host)),
            CheckLine.publicCertificate(origin, certificate, now: world.clocks.now()),
            publicWayIn(origin, announce(configuration.storeFiles)),
        ]
    }

    private func publicWayIn(
        _ origin: PublicOrigin,
        _ announced: Result<Announcement?, Unavailable>
    ) -> CheckLine {
        let announcement: Announcement
        switch announced {
        case .success(let made?): announcement = made
        case .success(nil): return CheckLine.publicWayInWithoutRelay
        case .failure(let reason): return CheckLine.publicWayIn(untried: reason)
        }
        var probe = Probe(.post, origin.url + announcement.path)
        // As the body of a push is labelled, so that a filter on the way treats it as one.
        probe.fields = [("Content-Type", "application/octet-stream"), ("TTL", "0")]
        probe.body = Array("relay check".utf8)
        return CheckLine.publicWayIn(origin, announcement, answer(probe))
    }
}
