import APNs
import HTTPServer
import RelayCore
import Store

/// `relay serve`: reads the configuration, builds the parts, and runs until a signal.
struct Serve {
    /// A relay that was asked to stop gives this long to the requests in flight.
    private static let grace = Duration.seconds(10)

    private let environmentFile: String?

    init(environmentFile: String?) {
        self.environmentFile = environmentFile
    }

    /// Returns when the relay was stopped by a signal and everything is closed.
    func run() throws(StartError) {
        let environment = try Environment.read(file: environmentFile)
        let configuration = try configuration(environment.variables)
        let log = Log(level: configuration.logLevel, format: configuration.logFormat)
        for problem in configuration.warnings { log(.warning, "configuration", ["detail": "\(problem)"]) }
        for name in environment.unknown {
            log(.warning, "configuration", ["detail": "\(name) is no variable of the relay: check its spelling"])
        }

        let store = try opened(configuration.databasePath)
        let clocks = Clocks.system
        let token = ProviderToken(key: configuration.providerKey, now: clocks.now, uptime: clocks.uptime)
        let apple = try client(configuration.apple, token)
        let limiter = RateLimiter(uptime: clocks.uptime)
        let routes = Routes(
            pushes: PushHandler(
                store: store,
                apple: apple,
                limiter: limiter,
                sounds: configuration.sounds,
                clocks: clocks,
                log: log
            ),
            registrations: RegistrationHandler(
                store: store,
                limiter: limiter,
                publicURL: configuration.publicURL,
                clocks: clocks,
                log: log
            ),
            tokens: configuration.subscribeTokens,
            store: store,
            log: log
        )
        let server = try listening(configuration.listenAddress, routes)
        server.start()
        log(.info, "started", ["version": relayVersion, "address": "\(server.boundAddress)"])

        let signal = StopSignals.wait()
        log(.info, "stopping", ["signal": signal])
        let finished = server.stop(within: Self.grace)
        apple.stop()
        close(store, log)
        log(finished ? .info : .warning, "stopped", ["finished": "\(finished)"])
    }

    private func configuration(_ environment: [String: String]) throws(StartError) -> Configuration {
        do throws(Problems) { return try Configuration(environment: environment) } catch { throw .configuration(error) }
    }

    private func opened(_ path: String) throws(StartError) -> Store {
        do throws(StoreError) { return try Store(path: path) } catch { throw .store(error, path: path) }
    }

    private func client(_ configuration: Client.Configuration, _ token: ProviderToken) throws(StartError) -> Client {
        do throws(ClientError) {
            return try Client(configuration: configuration, token: token)
        } catch {
            throw .client(error)
        }
    }

    private func listening(_ address: ListenAddress, _ routes: Routes) throws(StartError) -> Server {
        do throws(ServerError) {
            return try Server(address: address, bodyRule: Routes.bodyRule, handler: routes.respond)
        } catch {
            throw .server(error)
        }
    }

    /// Folds the write-ahead log into the file, so that it can be copied as it lies.
    private func close(_ store: Store, _ log: Log) {
        let failure = waiting { () async -> StoreError? in
            do throws(StoreError) { try await store.close() } catch { return error }
            return nil
        }
        if let failure = failure ?? nil { log(.error, "database_not_closed", ["detail": "\(failure)"]) }
    }
}
