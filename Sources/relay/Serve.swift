import APNs
import Glibc
import HTTPServer
import RelayCore
import Store
import Threads

/// `relay serve`: reads the configuration, builds the parts, and runs until a signal.
struct Serve {
    /// A relay that was asked to stop gives this long to the requests in flight.
    private static let grace = Duration.seconds(10)
    /// And this long to what is left to do for those that took longer, a write to a locked database among it.
    private static let settlingTime = Duration.seconds(4)

    private let environmentFile: String?

    init(environmentFile: String?) {
        self.environmentFile = environmentFile
    }

    /// Returns when the relay was stopped by a signal and everything is closed.
    func run() throws(StartError) {
        Signals.block()
        let environment = try ProcessEnvironment.read(file: environmentFile)
        let configuration = try configuration(environment.variables)
        let writer = try writer(configuration.logFormat)
        // What cannot be written by then is not going to be: nobody reads.
        defer { writer.flush(within: .seconds(1)) }
        let failures = RecentFailures(now: Clocks.system.now)
        let log = Log(
            level: configuration.logLevel,
            format: configuration.logFormat,
            failures: failures,
            write: writer.write
        )
        for problem in configuration.warnings { log(.warning, "configuration", ["detail": "\(problem)"]) }
        if configuration.storeFiles.isSecretKeyReadableByAll {
            let detail =
                "RELAY_SECRET_KEY_FILE names a file that every user of this machine can read: run `chmod 600` on it"
            log(.warning, "configuration", ["detail": detail])
        }
        for name in environment.unknown {
            log(.warning, "configuration", ["detail": "\(name) is no variable of the relay: check its spelling"])
        }

        try checkMachine(configuration)
        let workers = try Self.workers()
        let store = try opened(configuration.storeFiles)
        // Only ever right at the first start: else the disk with the database is not mounted where it was.
        if store.isNew { log(.info, "database_created", ["path": configuration.storeFiles.database]) }
        tellOfCopies(store, configuration.storeFiles, log)
        let parts = Parts(
            configuration,
            store: store,
            workers: workers,
            log: log,
            failures: failures,
            linesLost: { writer.linesLost }
        )
        let server = try listening(configuration.listenAddress, parts.routes, on: workers)
        // All that can fail comes before the first push, which would be cut off.
        let numbers = try numbers(configuration, parts, server, on: workers)
        let control = try control(configuration.storeFiles, parts.control, on: workers, log)
        let housekeeper = try housekeeper(parts)
        server.start()
        log(.info, "started", ["version": relayVersion, "address": "\(server.boundAddress)"])
        parts.warnOfGuard()

        serving: while true {
            switch Signals.next() {
            case .reload:
                reload(parts, log)
            case .stop(let name):
                log(.info, "stopping", ["signal": name])
                break serving
            }
        }
        Signals.endAtOnce()
        housekeeper.stop()
        control?.stop()
        numbers?.stop(within: .zero)
        let finished = server.stop(within: Self.grace)
        // What Apple has not answered by now is answered here, so that each push takes its badge back while it can.
        parts.disconnect()
        let settled = server.waitForHandlers(within: Self.settlingTime)
        parts.close()
        log(finished ? .info : .warning, "stopped", ["finished": "\(finished && settled)"])
    }

    /// Tells of the copy of before an upgrade, and at each start of all that are in the clear until they are deleted.
    private func tellOfCopies(_ store: Store, _ files: StoreFiles, _ log: Log) {
        if let copy = store.migrationBackup, !copy.isUnsealed {
            log(.info, "backup_before_upgrade", ["path": copy.path])
        }
        let remedy = "delete it when all is well: it holds every secret in the clear"
        for path in (try? files.backups?.unsealed()) ?? [] {
            log(.warning, "backup_before_upgrade", ["path": path, "remedy": remedy])
        }
    }

    /// Reads Apple's key again; everything else stays as it was at the start.
    private func reload(_ parts: Parts, _ log: Log) {
        do throws(StartError) {
            let configuration = try configuration(ProcessEnvironment.read(file: environmentFile).variables)
            let hasChanged = parts.rotate(to: configuration.providerKey)
            log(.info, "key_read_again", ["changed": "\(hasChanged)"])
        } catch {
            for line in error.lines { log(.error, "key_not_read_again", ["detail": line]) }
        }
    }

    private func configuration(_ variables: [String: String]) throws(StartError) -> Configuration {
        do throws(Problems) { return try Configuration(variables: variables) } catch { throw .configuration(error) }
    }

    private func writer(_ format: Log.Format) throws(StartError) -> LogWriter {
        do throws(ThreadFailure) {
            return try LogWriter(to: STDOUT_FILENO) { lost in
                Log.line(.error, "log_lines_lost", ["lines": "\(lost)"], format)
            }
        } catch {
            throw .thread(code: error.code)
        }
    }

    static func workers() throws(StartError) -> Workers {
        do throws(ThreadFailure) { return try Workers() } catch { throw .thread(code: error.code) }
    }

    private func housekeeper(_ parts: Parts) throws(StartError) -> Housekeeper {
        do throws(ThreadFailure) { return try Housekeeper(parts.keepHouse) } catch { throw .thread(code: error.code) }
    }

    /// Looks for what every push needs and no configuration gives, rather than have the first one find that it is missing.
    private func checkMachine(_ configuration: Configuration) throws(StartError) {
        guard configuration.certificateAuthorities != nil || SystemCertificates.areThere else {
            throw .noCertificates(path: SystemCertificates.path ?? "")
        }
    }

    private func opened(_ files: StoreFiles) throws(StartError) -> Store {
        do throws(StoreError) { return try Store(files) } catch { throw .store(error, files) }
    }

    private func control(
        _ files: StoreFiles,
        _ routes: ControlRoutes,
        on workers: Workers,
        _ log: Log
    ) throws(StartError) -> ControlSocket? {
        do throws(ServerError) { return try ControlSocket(files, routes, on: workers, log: log) } catch {
            throw .control(error)
        }
    }

    /// Serves the numbers and the page, where that is wanted.
    private func numbers(
        _ configuration: Configuration,
        _ parts: Parts,
        _ server: Server,
        on workers: Workers
    ) throws(StartError) -> Server? {
        guard let address = configuration.metricsAddress else { return nil }
        let routes = NumbersRoutes(parts.numbers) { server.load }
        var limits = Limits()
        limits.connections = 32
        do throws(ServerError) {
            let numbers = try Server(
                address: address,
                limits: limits,
                bodyRule: NumbersRoutes.bodyRule,
                executor: workers,
                handler: routes.respond
            )
            numbers.start()
            return numbers
        } catch {
            throw .metrics(error)
        }
    }

    private func listening(
        _ address: ListenAddress,
        _ routes: Routes,
        on workers: Workers
    ) throws(StartError) -> Server {
        var limits = Limits()
        // The last resort: whatever holds up a handler, its sender has an answer before it gives up at 10 s.
        limits.handlerTime = .milliseconds(8_750)
        do throws(ServerError) {
            return try Server(
                address: address,
                limits: limits,
                bodyRule: Routes.bodyRule,
                executor: workers,
                handler: routes.respond
            )
        } catch {
            throw .server(error)
        }
    }
}
