import Foundation
import RelayTesting

/// The handle on a simulated Pixelfed (`Tests/Simulators/pixelfed_simulator.py`): what an app calls, and what people do
/// there that others are told of.
final class PixelfedSimulator: Sendable {
    private struct Ready: Decodable {
        let address: URL
        let vapid: String?
    }

    /// What a command came to.
    private struct Reply: Decodable {
        let event: String
        let command: String?
        var token: String?
        var endpoints: [URL]?
        var message: String?
    }

    /// Where apps reach it.
    let url: URL
    /// What it signs with; nil when it has no keys.
    let vapidKey: String?
    private let program: Program

    /// Starts one; `options` are those of the script.
    init(_ options: String...) async throws {
        let script = Vectors.repository.appending(path: "Tests/Simulators/pixelfed_simulator.py").path
        program = try Program("/usr/bin/python3", [script] + options)
        guard let line = await program.line(where: { $0.contains(#""event": "ready""#) }) else {
            throw Failure(
                description: "the simulated Pixelfed did not start: \(program.errors.joined(separator: "\n"))"
            )
        }
        let ready = try JSONDecoder().decode(Ready.self, from: Data(line.utf8))
        url = ready.address
        vapidKey = ready.vapid
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What a notification came to at the instance.
    struct Sending: Decodable, Sendable {
        /// One request to a push service.
        struct Post: Decodable, Sendable {
            let endpoint: String
            /// The answer; nil when there was none.
            var status: Int?
        }

        /// How often the job ran: three times at most.
        let tries: Int
        let posts: [Post]

        var statuses: [Int?] { posts.map(\.status) }
    }

    /// Has the host of a relay's endpoints lead to it, or with nil to nobody.
    func resolve(_ origin: String = RunningRelay.origin, to address: String?) async throws {
        _ = try await perform("route \(origin) \(address ?? "")")
    }

    /// Signs a user in with an app; its access token.
    func signIn(_ user: String, scopes: [String] = ["read", "push"]) async throws -> String {
        let reply = try await decoded(Reply.self, from: perform("sign-in \(user) \(scopes.joined(separator: " "))"))
        return reply.token ?? ""
    }

    /// Takes an access token back, as a user does in the settings.
    func revoke(_ accessToken: String) async throws {
        _ = try await perform("revoke \(accessToken)")
    }

    /// Somebody does something that a user is told of.
    ///
    /// - Parameter kind: such as `like`.
    func notify(
        _ user: String,
        _ kind: String = "like",
        by actor: String = "carol",
        account: String? = "961576165188272129",
        status: String? = "988149955134320972"
    ) async throws -> Sending {
        let command = "notify \(user) \(kind) \(actor) \(account ?? "-") \(status ?? "-")"
        return try await decoded(Sending.self, from: perform(command))
    }

    /// The endpoints of a user's subscriptions, the oldest first.
    func endpoints(of user: String) async throws -> [URL] {
        try await decoded(Reply.self, from: perform("subscriptions \(user)")).endpoints ?? []
    }

    /// Has the next requests of apps fail.
    func answer(_ status: Int, times: Int = 1) async throws {
        _ = try await perform("answer \(status) \(times)")
    }

    private func decoded<Value: Decodable>(_ type: Value.Type, from line: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(line.utf8))
    }

    /// Has it do a command, and gives the line that says what it came to.
    private func perform(_ command: String) async throws -> String {
        let command = command.trimmingCharacters(in: .whitespaces)
        let index = program.lines.count
        try program.say(command)
        let line = await program.line(from: index) { line in
            (try? JSONDecoder().decode(Reply.self, from: Data(line.utf8)))?.command == command
        }
        guard let line, try decoded(Reply.self, from: line).event == "done" else {
            let said = ([line].compactMap(\.self) + program.errors).joined(separator: "\n")
            throw Failure(description: "the simulated Pixelfed did not \(command): \(said)")
        }
        return line
    }
}
