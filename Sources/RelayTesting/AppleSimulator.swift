import Foundation
import Synchronization

/// The handle on the simulated Apple (`Tests/Simulators/apns_simulator.py`), which speaks HTTP/2 over TLS through an
/// implementation that has nothing in common with libcurl's.
///
/// Its answers are chosen by the device token: the table is at the top of `apns_rules.py`.
package final class AppleSimulator: Sendable {
    /// What it says when it can be reached.
    package struct Ready: Decodable, Sendable {
        package let port: Int
        /// The file of its certificate authority.
        package let ca: String
        /// The file of the provider key that it takes signatures of.
        package let key: String
        package let key_id: String
        package let team_id: String
        package let topic: String
    }

    package let ready: Ready
    private let program: Program
    private let folder: TemporaryFolder

    /// The address to give to a client in Apple's place.
    package var origin: String { "https://127.0.0.1:\(ready.port)" }

    /// The process, whose network a test may join.
    package var process: Int32 { program.identifier }

    /// Starts one; `options` are those of the script.
    ///
    /// - Parameter launcher: a program with its arguments that runs it, such as in a network of its own.
    package init(_ options: String..., launcher: [String] = []) async throws {
        folder = try TemporaryFolder()
        let script = Vectors.repository.appending(path: "Tests/Simulators/apns_simulator.py").path
        let command = launcher + ["/usr/bin/python3", script, "--directory", folder.url.path] + options
        program = try Program(command[0], Array(command.dropFirst()))
        guard let line = await program.line(where: { $0.contains(#""event": "ready""#) }) else {
            throw Failure(description: "the simulated Apple did not start: \(program.errors.joined(separator: "\n"))")
        }
        ready = try JSONDecoder().decode(Ready.self, from: Data(line.utf8))
    }

    /// The one that tests share; each takes device tokens of its own.
    package static func shared() async throws -> AppleSimulator { try await sharedStart.value }

    private static let sharedStart = Task { try await AppleSimulator() }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// All requests with this device token so far, also one whose answer has only just arrived.
    package func requests(for token: String) async throws -> [AppleRequest] {
        try await catchUp()
        return program.lines.compactMap { AppleRequest($0, token: token) }
    }

    /// The requests behind the first `index` lines that it wrote, and how many lines there are by now.
    ///
    /// For tests with more requests than can be read again each time.
    package func requests(from index: Int) async throws -> (requests: [AppleRequest], lines: Int) {
        try await catchUp()
        let lines = program.lines
        return (lines[index...].compactMap { AppleRequest($0) }, lines.count)
    }

    /// The first request with this device token, when it comes; Apple may not have answered it yet.
    package func firstRequest(for token: String) async throws -> AppleRequest {
        guard
            let line = await program.line(where: { AppleRequest($0, token: token) != nil }),
            let request = AppleRequest(line, token: token)
        else { throw Failure(description: "the simulated Apple ended") }
        return request
    }

    /// Waits until so many requests with this device token have come; Apple may not have answered them yet.
    package func waitForRequests(_ count: Int, for token: String) async throws {
        let missing = Mutex(count)
        let line = await program.line { line in
            guard AppleRequest(line, token: token) != nil else { return false }
            return missing.withLock { missing in
                missing -= 1
                return missing == 0
            }
        }
        guard line != nil else { throw Failure(description: "the simulated Apple ended") }
    }

    /// Has it do one of its commands (they are listed in the script), and waits until it has.
    package func perform(_ command: String) async throws {
        let acknowledgements = ["done", "error"].map { #"{"event": "\#($0)", "command": "\#(command)""# }
        let index = program.lines.count
        try program.say(command)
        let line = await program.line(from: index) { line in acknowledgements.contains { line.hasPrefix($0) } }
        guard let line, line.hasPrefix(acknowledgements[0]) else {
            throw Failure(
                description: "the simulated Apple did not \(command): \(program.errors.joined(separator: "\n"))"
            )
        }
    }

    /// What it has counted since the start, or since it was given its scenario.
    package struct Counts: Decodable, Sendable {
        /// TCP connections taken, those without a TLS handshake among them.
        package let sockets: Int
        package let connections: Int
        package let requests: Int
        /// Notifications taken, repetitions among them.
        package let accepted: Int
        /// Different `apns-id`s among all requests, and among those taken.
        package let distinct_ids: Int
        package let accepted_ids: Int
        /// Streams refused because there were too many.
        package let over_limit: Int
    }

    package func counts() async throws -> Counts {
        let index = program.lines.count
        try await perform("count")
        guard let line = program.lines.dropFirst(index).last(where: { $0.contains(#""event": "count""#) }) else {
            throw Failure(description: "the simulated Apple did not count")
        }
        return try JSONDecoder().decode(Counts.self, from: Data(line.utf8))
    }

    /// How many connections it took.
    package func connections() async throws -> Int {
        try await catchUp()
        return program.lines.count { $0.contains(#""event": "connection""#) }
    }

    /// A command is acknowledged behind every line that was written before it: then nothing is on its way any more.
    private func catchUp() async throws {
        try await perform("answer \(UUID().uuidString.lowercased()) -")
    }
}
