import Foundation
import Glibc
import RelayTesting

/// A real nginx with the configuration of `deploy/`, in which nothing but places is changed.
final class Nginx: Sendable {
    static let executable = "/usr/sbin/nginx"

    static var canRun: Bool {
        [executable, Curl.executable, "/usr/bin/openssl"].allSatisfy(FileManager.default.isExecutableFile)
    }

    let folder: TemporaryFolder
    private let program: Program
    /// A loopback address that nothing else on this machine uses, so that fixed ports are free on it.
    private let host = "127.\(Int.random(in: 1...254)).\(Int.random(in: 1...254)).\(Int.random(in: 1...254))"
    private let plainPort = Int.random(in: 10_000...20_000)
    private let securePort = Int.random(in: 20_001...30_000)

    /// `address:port` of its TLS side.
    var secureAddress: String { "\(host):\(securePort)" }

    /// Starts it in front of a relay, and waits until it listens.
    convenience init(before relay: RelayProgram) async throws {
        let folder = try TemporaryFolder()
        try await Self.makeCertificate(in: folder)
        try await self.init(before: relay.address, in: folder)
    }

    /// Starts it in front of whatever listens at an address, with `fullchain.pem` and `privkey.pem` of the folder.
    init(before address: String, in folder: TemporaryFolder) async throws {
        self.folder = folder
        let site = try Self.site([
            ("server 127.0.0.1:8080;", "server \(address);"),
            ("listen 80", "listen \(host):\(plainPort)"),
            ("listen 443", "listen \(host):\(securePort)"),
            ("listen [::]:", "# listen [::]:"),
            ("/etc/letsencrypt/live/push.example.org/", folder.url.path + "/"),
            ("/var/log/nginx/", folder.url.path + "/"),
            ("/var/www/html", folder.url.path),
        ])
        try folder.write(site, to: "push.conf")
        let main = try folder.write(Self.main(folder), to: "nginx.conf")
        program = try Program(Self.executable, ["-p", folder.url.path, "-e", "/dev/stdout", "-c", main])
        // It says so when the event method is chosen, which is after it has begun to listen.
        guard await program.line(where: { $0.contains("event method") }) != nil else {
            throw Failure(description: "nginx did not start: \(program.lines + program.errors)")
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What Debian's /etc/nginx/nginx.conf is to a site, in one process that ends with its test.
    private static func main(_ folder: TemporaryFolder) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0)_temp;" }
        return """
            daemon off;
            master_process off;
            pid \(folder.path("nginx.pid"));
            error_log /dev/stdout notice;
            events {}
            http {
                \(temporary.joined(separator: "\n    "))
                include \(folder.path("push.conf"));
            }
            """
    }

    /// The site's file with each of the texts replaced; one that it does not hold is a fault of the test.
    private static func site(_ changes: [(old: String, new: String)]) throws -> String {
        var site = try String(
            contentsOf: Vectors.repository.appending(path: "deploy/nginx-push.conf"),
            encoding: .utf8
        )
        for (old, new) in changes {
            guard site.contains(old) else { throw Failure(description: "the site no longer says \(old)") }
            site = site.replacing(old, with: new)
        }
        return site
    }

    private static func makeCertificate(in folder: TemporaryFolder) async throws {
        let program = try Program(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=push.example.org", "-addext", "subjectAltName=DNS:push.example.org",
                "-keyout", folder.path("privkey.pem"), "-out", folder.path("fullchain.pem"),
            ]
        )
        guard await program.end() == 0 else { throw Failure(description: "openssl: \(program.errors)") }
    }

    /// Asks it with curl; every name leads here, and the certificate is trusted.
    func curl(_ arguments: String...) async throws -> Curl {
        let route = [
            "--connect-to", "::\(host):\(securePort)", "--cacert", folder.path("fullchain.pem"),
        ]
        return try await Curl(route + arguments)
    }

    /// Asks its plain side.
    func plainCurl(_ arguments: String...) async throws -> Curl {
        try await Curl(["--connect-to", "::\(host):\(plainPort)"] + arguments)
    }

    /// Sends an encrypted message to an endpoint as `/subscribe` gave it.
    func push(_ body: [UInt8], to url: String, _ arguments: [String] = []) async throws -> Curl {
        let file = "body-\(UUID().uuidString.lowercased())"
        try Data(body).write(to: folder.url.appending(path: file))
        let fields = Push.fields.flatMap { ["-H", "\($0): \($1)"] }
        let route = ["--connect-to", "::\(host):\(securePort)", "--cacert", folder.path("fullchain.pem")]
        return try await Curl(route + fields + ["--data-binary", "@\(folder.path(file))"] + arguments + [url])
    }

    /// Ends it, so that everything it had to write is written; the exit code.
    func stop() async -> Int32 {
        program.signal(SIGQUIT)
        return await program.end()
    }

    /// The lines of a log.
    func log(_ name: String) throws -> [String] {
        try String(contentsOfFile: folder.path(name), encoding: .utf8).split(separator: "\n").map(String.init)
    }
}
