import APNs
import HTTPServer
import RelayCore
import Store
import WebPush

/// What the relay is made of, put together.
struct Parts {
    let routes: Routes
    let control: ControlRoutes
    let numbers: Numbers
    private let meters: Meters
    private let store: Store
    private let apple: Apple
    private let token: ProviderToken
    private let backups: Backups
    private let certificate: CertificateWatch
    private let workers: Workers
    private let log: Log

    /// - Parameters:
    ///   - failures: what the log keeps of warnings and errors.
    ///   - linesLost: how many lines of the log found no room.
    init(
        _ configuration: Configuration,
        store: Store,
        workers: Workers,
        log: Log,
        failures: RecentFailures,
        linesLost: @escaping @Sendable () -> Int
    ) {
        let clocks = Clocks.system
        let meters = Meters(startedAt: clocks.now())
        let token = ProviderToken(
            key: configuration.providerKey,
            clock: ProviderToken.Clock(now: clocks.now, uptime: clocks.uptime),
            file: TokenFile(path: configuration.storeFiles.database + ".provider-token")
        )
        let apple = Self.apple(configuration, token, log, meters)
        let limits = PushLimits(atOnce: configuration.maxPushesAtOnce, uptime: clocks.uptime)
        let tickets = Tickets(uptime: clocks.uptime)
        let backups = Backups(plan: configuration.backups, store: store, clocks: clocks, log: log)
        routes = Routes(
            pushes: PushHandler(
                store: store,
                apple: apple,
                limits: limits,
                senders: SenderVerifier(origin: configuration.publicURL, now: clocks.now),
                recent: RecentPushes(uptime: clocks.uptime),
                sounds: configuration.sounds,
                publicURL: configuration.publicURL,
                clocks: clocks,
                log: DeliveryLog(log, uptime: clocks.uptime),
                meters: meters
            ),
            registrations: RegistrationHandler(
                store: store,
                limits: limits,
                registrationLimits: RegistrationLimits(
                    subscriptions: configuration.maxSubscriptions,
                    perHour: configuration.maxRegistrationsPerHour,
                    uptime: clocks.uptime
                ),
                publicURL: configuration.publicURL,
                clocks: clocks,
                log: log,
                meters: meters
            ),
            tickets: tickets,
            tokens: configuration.subscribeTokens,
            store: store,
            backups: backups,
            clocks: clocks,
            log: log,
            meters: meters
        )
        control = ControlRoutes(
            store: store,
            files: configuration.storeFiles,
            tickets: tickets,
            limits: limits,
            backups: backups,
            log: log
        )
        let certificate = CertificateWatch(publicURL: configuration.publicURL, clocks: clocks, log: log)
        self.backups = backups
        self.certificate = certificate
        numbers = Numbers(
            configuration: configuration,
            meters: meters,
            failures: failures,
            store: store,
            apple: apple,
            token: token,
            backups: backups,
            certificate: certificate,
            clocks: clocks,
            linesLost: linesLost
        )
        self.meters = meters
        self.store = store
        self.apple = apple
        self.token = token
        self.workers = workers
        self.log = log
    }

    private static func apple(
        _ configuration: Configuration,
        _ token: ProviderToken,
        _ log: Log,
        _ meters: Meters
    ) -> Apple {
        func client(_ service: AppleService, _ origin: String) -> Client {
            let client = Client.Configuration(
                origin: origin,
                topic: configuration.topic,
                certificateAuthorities: configuration.certificateAuthorities
            )
            return Client(
                configuration: client,
                token: token,
                report: { report in
                    log(.info, "apple_connection_replaced", ["environment": service.label, "cause": "\(report)"])
                },
                count: { meters.answered($0, after: $1, by: service) }
            )
        }
        if let origin = configuration.appleURL { return Apple(substitute: client(.substitute, origin)) }
        return Apple(
            production: client(.production, Environment.production.origin),
            sandbox: client(.sandbox, Environment.sandbox.origin),
            preferred: configuration.environment
        )
    }

    /// What is done once a minute, on a thread that may wait.
    @Sendable func keepHouse(isFirst: Bool) {
        waiting(on: workers) {
            do throws(StoreError) { try await store.flushNotes() } catch {
                meters.databaseFailed()
                log(.warning, "notes_not_written", ["detail": "\(error)"])
            }
            do throws(StoreError) { try await numbers.keepHours() } catch {
                meters.databaseFailed()
                log(.warning, "figures_not_written", ["detail": "\(error)"])
            }
            await backups.makeIfDue(isStart: isFirst)
        }
        // A start has better to do, and a machine that has just started may have no network yet.
        if !isFirst { certificate.lookIfDue() }
    }

    /// Reminds the operator of what a restart does not mend.
    func warnOfGuard() {
        guard waiting(on: workers, for: { try? await store.isGuarded() }) == true else { return }
        log(
            .error,
            "deletion_refused",
            [
                "remedy":
                    "check APNS_TOPIC and APNS_ENVIRONMENT: Apple disowned one device after the other before the start"
            ]
        )
    }

    /// Signs with another key from now on, over new connections; false when it is the same one.
    func rotate(to key: ProviderKey) -> Bool {
        guard token.rotate(to: key) else { return false }
        apple.replaceConnections()
        return true
    }

    /// Ends the connections to Apple; what is under way is answered.
    func disconnect() {
        apple.stop()
    }

    /// Folds the write-ahead log into the file, so that it can be copied as it lies.
    func close() {
        waiting(on: workers) { try? await numbers.keepHours() }
        let failure = waiting(on: workers) { () async -> StoreError? in
            do throws(StoreError) { try await store.close() } catch { return error }
            return nil
        }
        if let failure { log(.error, "database_not_closed", ["detail": "\(failure)"]) }
    }
}
