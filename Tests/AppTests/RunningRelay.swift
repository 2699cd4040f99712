import Foundation
import Glibc
import RelayTesting

/// The relay that an app talks to: the built program with an operator's settings, killed with its test.
final class RunningRelay: Sendable {
    /// What is built into the app.
    static let subscribeToken = "the-token-inside-the-app"

    /// Where instances find it, as it says in the endpoints that it hands out.
    static let origin = "https://push.example.org"

    /// The program is built beside the one that the tests are in.
    private static let executable: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "relay").path
    }()

    /// Where it listens, such as `127.0.0.1:8080`.
    let address: String
    let url: URL
    /// Where its database is; a second relay in the same one is a restart.
    let folder: TemporaryFolder
    private let program: Program

    /// Starts a relay that takes `apple` for Apple, and waits until it serves.
    ///
    /// - Parameter changes: variables that differ from what an operator would set.
    init(apple: AppleSimulator, in folder: TemporaryFolder? = nil, _ changes: [String: String] = [:]) async throws {
        let folder = try folder ?? TemporaryFolder()
        let variables = [
            "PUBLIC_URL": Self.origin,
            "LISTEN_ADDR": "127.0.0.1:0",
            "DB_PATH": folder.path("relay.sqlite"),
            "SUBSCRIBE_TOKEN": Self.subscribeToken,
            "APNS_KEY_FILE": apple.ready.key,
            "APNS_KEY_ID": apple.ready.key_id,
            "APNS_TEAM_ID": apple.ready.team_id,
            "APNS_TOPIC": apple.ready.topic,
            "APNS_URL": apple.origin,
            "APNS_CA_FILE": apple.ready.ca,
        ]
        self.folder = folder
        program = try Program(Self.executable, ["serve"], environment: variables.merging(changes) { $1 })
        let line = await program.line { $0.contains("event=started ") } ?? ""
        guard let match = line.firstMatch(of: /address=(\S+)/), let url = URL(string: "http://\(match.1)") else {
            throw Failure(description: "the relay did not start: \(program.errors.joined(separator: "\n"))")
        }
        address = String(match.1)
        self.url = url
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Ends it as a system does that shuts down.
    func stop() async {
        program.signal(SIGTERM)
        _ = await program.end()
    }
}
