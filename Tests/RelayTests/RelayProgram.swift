import Crypto
import Foundation
import Glibc
import RelayCore
import RelayTesting
import Testing

/// The relay as its operator runs it: the built program, its environment, its log; killed with its test.
final class RelayProgram: Sendable {
    static let subscribeToken = "the-token-of-the-tests-and-no-other"

    /// The program is built beside the one that the tests are in.
    static let executable: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "relay").path
    }()

    /// Where it listens, as it says itself.
    let address: String
    /// Where its database is; a second relay in the same one is a restart.
    let folder: TemporaryFolder
    let program: Program

    /// Starts a relay that takes `apple` for Apple, and waits until it serves.
    ///
    /// - Parameters:
    ///   - changes: variables that differ from ``environment(_:in:)``; nil leaves one out.
    ///   - others: variables that are none of the relay's.
    ///   - preparation: what a shell does before it gives its place to the relay, such as to set a limit.
    ///   - launcher: a program with its arguments that runs the shell, such as in a namespace of its own.
    ///   - log: the file that gets its standard output; it has to listen on a Unix socket then.
    init(
        apple: AppleSimulator,
        in folder: TemporaryFolder? = nil,
        _ changes: [Variable: String?] = [:],
        arguments: [String] = ["serve"],
        others: [String: String] = [:],
        preparation: String? = nil,
        launcher: [String] = [],
        log: String? = nil
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        var environment = Self.environment(apple, in: folder)
        for (variable, value) in changes { environment[variable] = value }
        self.folder = folder
        let variables = environment.byName.merging(others) { own, _ in own }
        var command = [Self.executable] + arguments
        if preparation != nil || log != nil || !launcher.isEmpty {
            // The shell gives its place to the relay, so that the process is the relay's.
            let output = log.map { ">'\($0)'" } ?? ""
            command = launcher + ["/bin/sh", "-c", "\(preparation ?? ":") && exec \"$0\" \"$@\" \(output)"] + command
        }
        program = try Program(command[0], Array(command.dropFirst()), environment: variables)
        if log != nil, let socket = environment[.listenAddress] {
            address = socket
            try await eventually { (try? HTTPClient(socket)) != nil }
            return
        }
        let line = await program.line { LogLine($0)?.event == "started" }
        guard let address = line.flatMap({ LogLine($0) })?.fields["address"] else {
            throw Failure(description: "the relay did not start: \(program.errors.joined(separator: "\n"))")
        }
        self.address = address
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What an operator would set, with a free port and Apple simulated.
    static func environment(_ apple: AppleSimulator, in folder: TemporaryFolder) -> [Variable: String] {
        [
            .publicURL: "https://push.example.org",
            .listenAddress: "127.0.0.1:0",
            .databasePath: folder.path("relay.sqlite"),
            .subscribeToken: subscribeToken,
            // Not to be met by a test of something else.
            .maxSubscriptions: "1000000",
            .maxRegistrationsPerHour: "1000000",
            .apnsKeyFile: apple.ready.key,
            .apnsKeyID: apple.ready.key_id,
            .apnsTeamID: apple.ready.team_id,
            .apnsTopic: apple.ready.topic,
            .apnsURL: apple.origin,
            .apnsCAFile: apple.ready.ca,
        ]
    }

    /// What a run came to that ends by itself.
    struct Ended {
        let code: Int32
        let output: [String]
        let errors: [String]
    }

    static func run(
        _ arguments: [String],
        _ environment: [Variable: String] = [:],
        launcher: [String] = []
    ) async throws -> Ended {
        let command = launcher + [executable] + arguments
        let program = try Program(command[0], Array(command.dropFirst()), environment: environment.byName)
        let code = await program.end()
        return Ended(code: code, output: program.lines, errors: program.errors)
    }

    /// Waits for the first line of its log with this event.
    @discardableResult
    func logged(_ event: String) async throws -> LogLine {
        guard let line = await program.line(where: { LogLine($0)?.event == event }).flatMap({ LogLine($0) }) else {
            throw Failure(description: "the relay ended without logging \(event)")
        }
        return line
    }

    /// Asks it to end, and gives the exit code.
    func stop() async -> Int32 {
        program.signal(SIGTERM)
        return await program.end()
    }
}

extension [Variable: String] {
    /// As a process has it.
    var byName: [String: String] {
        [String: String](uniqueKeysWithValues: map { ($0.rawValue, $1) })
    }
}

/// What the app gets for a registration.
struct Endpoint: Decodable, Sendable {
    let subscription_id: String
    let endpoint: String
    let p256dh: Octets
    let auth: Octets

    var path: String { "/wp/\(subscription_id)" }
}

// The app's side and the instance's.
extension RelayProgram {
    func answer(
        _ method: String,
        _ target: String,
        json: String = "",
        token: String? = subscribeToken
    ) async throws -> HTTPAnswer {
        let fields = token.map { [("Authorization", "Bearer \($0)"), ("Content-Type", "application/json")] } ?? []
        return try await HTTPClient.answer(
            to: HTTPRequest(method, target, fields: fields, body: Array(json.utf8)),
            from: address
        )
    }

    /// Registers an account of a device, perhaps for one sender alone.
    func subscribe(
        _ deviceToken: String,
        account: String = "",
        label: String = "",
        vapidKey: [UInt8]? = nil
    ) async throws -> Endpoint {
        var wanted = ["device_token": deviceToken, "account": account, "label": label]
        wanted["vapid_key"] = vapidKey.map(Base64URL.encode)
        let body = try JSONSerialization.data(withJSONObject: wanted)
        let answer = try await answer("POST", "/subscribe", json: String(decoding: body, as: UTF8.self))
        try #require(answer.status == 201, "\(answer.text)")
        return try JSONDecoder().decode(Endpoint.self, from: Data(answer.body))
    }

    /// Sends a notification as an instance does.
    func push(_ message: String = Push.like, to endpoint: Endpoint) async throws -> HTTPAnswer {
        try await HTTPClient.answer(to: Push.request(message, to: endpoint), from: address)
    }

    /// Sends a body as it is.
    func post(_ body: [UInt8], to path: String) async throws -> HTTPAnswer {
        try await HTTPClient.answer(to: HTTPRequest("POST", path, fields: Push.fields, body: body), from: address)
    }

    /// Whether it says that it is well.
    func isWell() async throws -> Bool {
        let answer = try await answer("GET", "/healthz", token: nil)
        return answer.status == 200 && answer.text == "ok"
    }
}

/// What an instance sends.
enum Push {
    static let like = #"{"notification_type":"like","title":"New Like","body":"vinz liked your post"}"#

    static let fields = [
        ("Content-Type", "application/octet-stream"), ("Content-Encoding", "aes128gcm"), ("TTL", "2419200"),
        ("Urgency", "normal"),
    ]

    static func body(_ message: some Sequence<UInt8>, for endpoint: Endpoint) throws -> [UInt8] {
        var sender = WebPushSender(p256dh: endpoint.p256dh.octets, auth: endpoint.auth.octets)
        sender.recordSize = 65_536
        return try sender.encrypt(Array(message))
    }

    static func request(_ message: String, to endpoint: Endpoint) throws -> HTTPRequest {
        try HTTPRequest("POST", endpoint.path, fields: fields, body: body(message.utf8, for: endpoint))
    }
}
