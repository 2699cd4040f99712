import APNs
import Crypto
import Foundation
import RelayTesting
import Testing

extension ProviderToken {
    /// The token of the key that a simulated Apple takes.
    convenience init(of apple: AppleSimulator, clock: ManualClock? = nil) throws {
        let pem = try Data(contentsOf: URL(filePath: apple.ready.key))
        let key = ProviderKey(
            privateKey: try P256PrivateKey(pem: Array(pem)),
            keyID: apple.ready.key_id,
            teamID: apple.ready.team_id
        )
        self.init(
            key: key,
            clock: Clock(
                now: { clock?.now ?? Int64(Date.now.timeIntervalSince1970) },
                uptime: { clock?.uptime ?? .zero }
            )
        )
    }
}

extension Client {
    /// A client of a simulated Apple.
    convenience init(
        of apple: AppleSimulator,
        token: ProviderToken? = nil,
        change: (inout Configuration) -> Void = { _ in }
    ) throws {
        var configuration = Self.configuration(of: apple)
        change(&configuration)
        self.init(configuration: configuration, token: try token ?? ProviderToken(of: apple))
    }

    /// How to reach a simulated Apple.
    static func configuration(of apple: AppleSimulator) -> Configuration {
        var configuration = Configuration(
            origin: apple.origin,
            topic: apple.ready.topic,
            certificateAuthorities: apple.ready.ca
        )
        // However busy the machine is, a test of something else must not meet a deadline.
        configuration.deadline = .seconds(600)
        configuration.connectDeadline = .seconds(600)
        configuration.patience = .seconds(600)
        return configuration
    }

    func send(
        to token: String,
        payload: Payload = Payload(title: "New Like", body: "vinz liked your post"),
        collapseID: String? = nil,
        expiration: Int64 = 0
    ) async throws -> Outcome {
        let notification = Notification(
            deviceToken: try #require(DeviceToken(parsing: token.utf8)),
            id: UUID().uuidString.lowercased(),
            payload: payload.encoded(),
            collapseID: collapseID,
            expiration: expiration
        )
        return await send(notification)
    }
}

/// One row of the simulator's table of everything that Apple answers.
struct Row: Decodable, Sendable, CustomTestStringConvertible {
    let prefix: String
    let status: Int
    let reason: String?
    var testDescription: String { "\(status) \(reason ?? "")" }

    /// What a sender and a row may come to.
    enum Kind { case accepted, deviceGone, misconfigured, tryAgain }

    var expected: Kind {
        switch (status, reason) {
        case (200, _): .accepted
        case (410, _), (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"): .deviceGone
        case (403, _), (400, "TopicDisallowed"), (400, "BadTopic"), (400, "MissingTopic"): .misconfigured
        default: .tryAgain
        }
    }

    static func all() async throws -> [Row] {
        let script = Vectors.repository.appending(path: "Tests/Simulators/apns_simulator.py").path
        let list = try Program("/usr/bin/python3", [script, "--list-reasons"])
        _ = await list.end()
        return try JSONDecoder().decode([Row].self, from: Data(list.lines.joined().utf8))
    }
}

extension Outcome {
    var kind: Row.Kind {
        switch self {
        case .accepted: .accepted
        case .deviceGone: .deviceGone
        case .misconfigured: .misconfigured
        case .tryAgain: .tryAgain
        }
    }

    var rejection: Rejection? {
        switch self {
        case .deviceGone(let rejection), .misconfigured(.rejection(let rejection)),
            .tryAgain(.rejection(let rejection)):
            rejection
        default: nil
        }
    }
}
