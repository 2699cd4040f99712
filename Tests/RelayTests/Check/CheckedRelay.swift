import APNs
import Foundation
import HTTPServer
import RelayCore
import RelayTesting
import Store

@testable import relay

/// What `relay check` looks at in a test: an environment file, a simulated Apple, and perhaps an nginx before a stand-in
/// of the relay that answers the probe.
final class CheckedRelay: Sendable {
    static let announcement = Announcement(path: "/wp/check-of-the-tests", answer: Array("only this one knows".utf8))
    static let well = DatabaseFacts(
        schemaVersion: 1,
        newestSchemaVersion: 1,
        subscriptions: 3,
        size: 40_960,
        space: 1 << 40,
        backupSpace: 1 << 40,
        lastBackup: Int64(Date.now.timeIntervalSince1970) - 60
    )

    let folder: TemporaryFolder
    let apple: AppleSimulator
    private let nginx: Nginx?
    private let standIn: Server?

    /// - Parameters:
    ///   - certificate: the options of `certificate.py`; nil starts no nginx.
    ///   - answer: what the relay answers to a probe; nil has it not listen.
    init(
        apple: AppleSimulator,
        certificate: [String]? = nil,
        answer: [UInt8]? = announcement.answer
    ) async throws {
        self.apple = apple
        folder = try TemporaryFolder()
        guard let certificate else {
            (nginx, standIn) = (nil, nil)
            return
        }
        let site = try TemporaryFolder()
        try await Self.makeCertificate(certificate, in: site)
        guard let answer else {
            standIn = nil
            // The port of "discard", where nobody listens.
            nginx = try await Nginx(before: "127.0.0.1:9", in: site)
            return
        }
        let server = try Server(
            address: ListenAddress(parsing: "127.0.0.1:0"),
            bodyRule: { _ in BodyRule(limit: 65_536, isRequired: false) },
            handler: { request in
                let isProbe = request.head.method == "POST" && request.head.target == Array(Self.announcement.path.utf8)
                return Response(status: isProbe ? 200 : 404, body: isProbe ? answer : Array("no".utf8))
            }
        )
        server.start()
        standIn = server
        nginx = try await Nginx(before: "\(server.boundAddress)", in: site)
    }

    private static func makeCertificate(_ options: [String], in folder: TemporaryFolder) async throws {
        let script = Vectors.repository.appending(path: "Tests/Simulators/certificate.py").path
        let program = try Program("/usr/bin/python3", [script, folder.url.path] + options)
        guard await program.end() == 0 else { throw Nginx.Failure(description: "\(program.errors)") }
    }

    /// The variables of a relay that is in order.
    var environment: [Variable: String] {
        var environment = RelayProgram.environment(apple, in: folder)
        environment[.backupDirectory] = folder.path("backups")
        return environment
    }

    /// What a run says, line by line by its name.
    struct Run {
        let text: String
        let isOK: Bool

        struct Line: Decodable {
            let name: String
            let state: String
            let text: String
            let remedy: String?
        }

        subscript(_ name: String) -> Line? {
            lines.first { $0.name == name }
        }

        var lines: [Line] {
            struct Document: Decodable { let checks: [Line] }
            return (try? JSONDecoder().decode(Document.self, from: Data(text.utf8)))?.checks ?? []
        }

        func names(_ state: String) -> [String] { lines.filter { $0.state == state }.map(\.name) }
    }

    /// A world in which the public name leads to `peer`, and nothing leaves this machine.
    static func world(
        apple: AppleSimulator,
        peer: String,
        authority: String?,
        addresses: [String] = ["93.184.215.14"]
    ) -> Check.World {
        var world = Check.World()
        world.resolve = { host throws(ProbeError) in
            guard host == "push.example.org" else { throw .notResolved("unknown") }
            return addresses
        }
        let origin = apple.origin
        world.answer = { probe throws(ProbeError) in
            var probe = probe
            if !probe.url.hasPrefix("\(origin)/") {
                probe.peer = peer
                probe.certificateAuthorities = authority
            }
            return try probe.answer()
        }
        return world
    }

    /// Runs the check.
    ///
    /// - Parameters:
    ///   - changes: variables that differ; nil leaves one out.
    ///   - others: further lines of the environment file.
    ///   - addresses: where the public name leads.
    func check(
        _ changes: [Variable: String?] = [:],
        others: String = "",
        isJSON: Bool = true,
        isOffline: Bool = false,
        addresses: [String] = ["93.184.215.14"],
        facts: DatabaseFacts = well,
        announced: Result<Announcement?, Check.Unavailable> = .success(announcement)
    ) async throws -> Run {
        var environment = environment
        for (variable, value) in changes { environment[variable] = value }
        let lines = environment.byName.map { "\($0)=\($1)\n" }.joined() + others
        let file = try folder.write(lines, to: "relay.env")
        let world = Self.world(
            apple: apple,
            peer: nginx?.secureAddress ?? "127.0.0.1:9",
            authority: nginx?.folder.path("ca.pem"),
            addresses: addresses
        )
        let result = try await onThread {
            try relay.check(
                environmentFile: file,
                isJSON: isJSON,
                isOffline: isOffline,
                world: world,
                database: { _, _ in .success(facts) },
                announce: { _ in announced }
            )
        }
        return Run(text: result.text, isOK: result.isOK)
    }
}
