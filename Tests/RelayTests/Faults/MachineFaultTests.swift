import Foundation
import Glibc
import RelayCore
import RelayTesting
import Testing

/// A machine that lacks what every push needs (hostile faults F-18 and F-40): the start says so.
@Suite(.fewAtATime, .needsRoot) struct MachineFaultTests {
    private func start(_ change: String, authorities: Bool) async throws -> RelayProgram.Ended {
        let folder = try TemporaryFolder()
        var environment = try await RelayProgram.environment(AppleSimulator.shared(), in: folder)
        if !authorities { environment[.apnsCAFile] = nil }
        let empty = try folder.write("", to: "empty")
        let script = (change + #" && exec "$0" "$@""#).replacing("{empty}", with: empty)
        let ended = try await RelayProgram.run(
            ["serve"],
            environment,
            launcher: ["/usr/bin/unshare", "-m", "/bin/sh", "-c", script]
        )
        // Nothing was begun.
        #expect(!FileManager.default.fileExists(atPath: folder.path("relay.sqlite")))
        return ended
    }

    @Test(arguments: ["mount -t tmpfs none /etc/ssl/certs", "mount --bind {empty} /etc/ssl/certs/ca-certificates.crt"])
    func `F-18 without certificate authorities the relay does not start`(change: String) async throws {
        let ended = try await start(change, authorities: false)
        #expect(ended.code == 1)
        #expect(
            ended.errors == [
                "relay: there are no certificate authorities in /etc/ssl/certs/ca-certificates.crt: "
                    + "install the package ca-certificates"
            ]
        )
    }

    /// The language's own runtime meets it first, when it seeds its hash tables, and aborts.
    @Test func `F-40 without random numbers the relay does not start`() async throws {
        let tracer = "strace -f -o {empty} -e trace=getrandom -e inject=getrandom:error=ENOSYS"
        let ended = try await start(#"mount -t tmpfs none /dev && exec \#(tracer) "$0" "$@""#, authorities: true)
        #expect(ended.code == 128 + SIGABRT)
        #expect(ended.output == [])
    }
}
