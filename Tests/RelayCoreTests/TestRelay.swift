import APNs
import Crypto
import Foundation
import HTTPServer
import RelayTesting
import Synchronization
import Testing
import WebPush

@testable import RelayCore
@testable import Store

/// A relay without a listener: requests go straight to its routes, and a simulated Apple is behind them.
final class TestRelay: Sendable {
    static let subscribeToken = "a-subscribe-token-of-the-app"

    let apple: AppleSimulator
    let store: Store
    let clock: ManualClock
    let limiter: RateLimiter
    let tickets: Tickets
    let meters: Meters
    let services: Apple
    private let routes: Routes
    private let folder: TemporaryFolder
    private let logged: Logged

    /// What the log says, line by line.
    private final class Logged: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// - Parameters:
    ///   - sandbox: Apple's other service; without one, `apple` stands in for both.
    ///   - burst: how many messages a subscription may get at once.
    ///   - maxSubscriptions: rows in total; like the next, not to be met by a test of something else.
    ///   - registrationsPerHour: registrations within an hour.
    ///   - earlier: a relay that has stopped, whose database and clock this one takes over.
    init(
        sounds: String = "",
        apple other: AppleSimulator? = nil,
        sandbox: AppleSimulator? = nil,
        appleOrigin: String? = nil,
        publicURL: String = "https://push.example.org",
        burst: Int = 20,
        maxSubscriptions: Int = .max,
        registrationsPerHour: Int = 1_000_000,
        backups: BackupPlan? = nil,
        restarting earlier: TestRelay? = nil,
        change: (inout Client.Configuration) -> Void = { _ in }
    ) async throws {
        let apple: AppleSimulator
        if let other { apple = other } else { apple = try await AppleSimulator.shared() }
        let clock = earlier?.clock ?? ManualClock(now: Int64(Date.now.timeIntervalSince1970))
        let clocks = Clocks(now: { clock.now }, uptime: { clock.uptime })
        let logged = Logged()
        let log = Log(level: .debug, format: .text) { line in logged.lines.withLock { $0.append(line) } }
        let folder = try earlier?.folder ?? TemporaryFolder()
        // No patience with a lock, so that a test of one does not wait.
        let store = try Store(StoreFiles(database: folder.path("relay.sqlite")), busyTimeout: 0, now: clock.now)
        let limiter = RateLimiter(burst: burst, uptime: clocks.uptime)
        let limits = PushLimits(messages: limiter, strays: RateLimiter(burst: burst, uptime: clocks.uptime))
        let meters = Meters(startedAt: clock.now)
        let service = sandbox == nil ? AppleService.substitute : .production
        let client = try Self.client(of: apple, service, meters, origin: appleOrigin, change: change)
        let services: Apple
        if let sandbox {
            let other = try Self.client(of: sandbox, .sandbox, meters, origin: nil, change: change)
            services = Apple(production: client, sandbox: other, preferred: .production)
        } else {
            services = Apple(substitute: client)
        }
        self.apple = apple
        self.clock = clock
        self.store = store
        self.limiter = limiter
        let tickets = Tickets(uptime: clocks.uptime)
        self.tickets = tickets
        self.meters = meters
        self.services = services
        self.folder = folder
        self.logged = logged
        routes = Routes(
            pushes: PushHandler(
                store: store,
                apple: services,
                limits: limits,
                senders: SenderVerifier(origin: publicURL, now: clocks.now),
                recent: RecentPushes(uptime: clocks.uptime),
                sounds: try Sounds(parsing: sounds),
                publicURL: publicURL,
                clocks: clocks,
                log: DeliveryLog(log, uptime: clocks.uptime),
                meters: meters
            ),
            registrations: RegistrationHandler(
                store: store,
                limits: limits,
                registrationLimits: RegistrationLimits(
                    subscriptions: maxSubscriptions,
                    perHour: registrationsPerHour,
                    uptime: clocks.uptime
                ),
                publicURL: publicURL,
                clocks: clocks,
                log: log,
                meters: meters
            ),
            tickets: tickets,
            tokens: try #require(SubscribeTokens(parsing: Self.subscribeToken)),
            store: store,
            backups: Backups(plan: backups, store: store, clocks: clocks, log: log),
            clocks: clocks,
            log: log,
            meters: meters
        )
    }

    private static func client(
        of apple: AppleSimulator,
        _ service: AppleService,
        _ meters: Meters,
        origin: String?,
        change: (inout Client.Configuration) -> Void
    ) throws -> Client {
        let pem = try Data(contentsOf: URL(filePath: apple.ready.key))
        let key = ProviderKey(
            privateKey: try P256PrivateKey(pem: Array(pem)),
            keyID: apple.ready.key_id,
            teamID: apple.ready.team_id
        )
        var configuration = Client.Configuration(
            origin: origin ?? apple.origin,
            topic: apple.ready.topic,
            certificateAuthorities: apple.ready.ca
        )
        // However busy the machine is, a test of something else must not meet a deadline.
        configuration.deadline = .seconds(600)
        configuration.connectDeadline = .seconds(600)
        configuration.patience = .seconds(600)
        change(&configuration)
        // The simulated Apple's clock is the machine's, so that a token dated by a turned one would be refused.
        let clocks = Clocks.system
        let token = ProviderToken(key: key, clock: ProviderToken.Clock(now: clocks.now, uptime: clocks.uptime))
        return Client(
            configuration: configuration,
            token: token,
            count: { meters.answered($0, after: $1, by: service) }
        )
    }

    var logLines: [String] { logged.lines.withLock { $0 } }

    /// The file of the database, for a second connection to it.
    var databasePath: String { folder.path("relay.sqlite") }

    /// The lines of the log about one event.
    func logLines(of event: String) -> [String] { logLines.filter { $0.contains(" event=\(event) ") } }

    /// The row of a subscription; nil when it is gone.
    func row(of subscription: TestSubscription) async throws -> Subscription? {
        try await store.subscription(SubscriptionID(hashing: Array(subscription.id.utf8)))
    }

    /// Sends a request straight to the routes.
    func request(
        _ method: String,
        _ path: String,
        fields: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        receivedAt: ContinuousClock.Instant = .now
    ) async -> Response {
        let lines = fields.map { (name: $0.name, value: Array($0.value.utf8)) }
        let head = Head(method: method, target: Array(path.utf8), fields: Fields(lines))
        return await routes.respond(to: Request(head: head, body: body, receivedAt: receivedAt))
    }

    /// Sends a request of the app, with its token and a body of JSON.
    func app(_ method: String, _ path: String, _ json: String = "") async -> Response {
        await request(
            method,
            path,
            fields: [("Authorization", "Bearer \(Self.subscribeToken)")],
            body: Array(json.utf8)
        )
    }

    /// Registers an account on a device as the app does.
    func subscribe(
        _ deviceToken: String = freshToken(),
        account: String? = nil,
        environment: String? = nil
    ) async throws -> TestSubscription {
        let account = account.map { #","account":"\#($0)""# } ?? ""
        let environment = environment.map { #","environment":"\#($0)""# } ?? ""
        let body = #"{"device_token":"\#(deviceToken)"\#(account)\#(environment)}"#
        let response = await app("POST", "/subscribe", body)
        try #require(response.status == 201, "\(response.text)")
        return try TestSubscription(response, deviceToken: deviceToken)
    }

    /// Pushes a message as an instance does.
    func push(
        _ json: String = TestRelay.like,
        to subscription: TestSubscription,
        fields: [(name: String, value: String)] = [("Content-Encoding", "aes128gcm"), ("TTL", "60")]
    ) async throws -> Response {
        let body = try subscription.sender.encrypt(Array(json.utf8))
        return await request("POST", subscription.path, fields: fields, body: body)
    }

    /// A comment that no other call makes: an equal one could be taken for a sender's second try.
    static func freshComment() -> String {
        #"{"notification_type":"comment","title":"New Comment","body":"\#(UUID().uuidString)"}"#
    }

    /// Pushes a message that Apple accepts, and returns what Apple saw of it.
    func accepted(_ json: String = TestRelay.comment, to subscription: TestSubscription) async throws -> AppleRequest {
        let before = try await apple.requests(for: subscription.deviceToken).count
        let response = try await push(json, to: subscription)
        try #require(response.status == 201, "\(response.text)")
        let requests = try await apple.requests(for: subscription.deviceToken)
        try #require(requests.count == before + 1)
        return try #require(requests.last)
    }

    static let like = """
        {"notification_type":"like","title":"New Like","body":"vinz liked your post",\
        "status_id":"988149955134320972","account_id":"961576165188272129"}
        """

    static let comment = """
        {"notification_type":"comment","title":"New Comment","body":"vinz: nice",\
        "status_id":"988149955134320972","account_id":"961576165188272129"}
        """
}

/// What the app and the instance know of a subscription.
struct TestSubscription: Sendable {
    let id: String
    let endpoint: String
    let p256dh: String
    let auth: String
    let deviceToken: String
    let sender: WebPushSender

    private struct Answer: Decodable {
        let subscription_id: String
        let endpoint: String
        let p256dh: String
        let auth: String
    }

    init(_ response: Response, deviceToken: String) throws {
        let answer = try JSONDecoder().decode(Answer.self, from: Data(response.body))
        id = answer.subscription_id
        endpoint = answer.endpoint
        p256dh = answer.p256dh
        auth = answer.auth
        self.deviceToken = deviceToken
        var sender = WebPushSender(
            p256dh: try #require(Base64URL.decode(answer.p256dh.utf8)),
            auth: try #require(Base64URL.decode(answer.auth.utf8))
        )
        // One record, however long a test's message is.
        sender.recordSize = 65_536
        self.sender = sender
    }

    /// One that was not registered through the app's route.
    init(id: String, keys: ReceiverKeys) {
        self.id = id
        endpoint = ""
        p256dh = ""
        auth = ""
        deviceToken = ""
        sender = WebPushSender(p256dh: keys.privateKey.publicPoint, auth: keys.authSecret)
    }

    var path: String { "/wp/\(id)" }
}

extension Response {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The machine word of an error.
    var errorWord: String? {
        (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: String])?["error"]
    }

    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}
