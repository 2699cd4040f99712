import Foundation
import Glibc
import RelayTesting
import Testing

extension Trait where Self == ConditionTrait {
    /// For faults that take a mount, a network or a limit of the test's own; without root they are left out.
    static var needsRoot: ConditionTrait {
        .enabled("this fault takes root and namespaces of its own: run the tests as root") { mayUnshare }
    }
}

/// Whether this process may have a file system and a network of its own.
private let mayUnshare: Bool = {
    guard geteuid() == 0, let program = try? Program("/usr/bin/unshare", ["-m", "-n", "true"]) else { return false }
    return program.endNow() == 0
}()

/// A file system of a few hundred kilobytes that only one relay sees, and that is gone when the relay is.
struct SmallDisk {
    /// Where the relay's shell mounts it.
    private let folder: URL
    private let kilobytes: Int

    /// Gives the relay's shell a place of its own to mount in.
    static let launcher = ["/usr/bin/unshare", "-m"]

    init(in parent: TemporaryFolder, kilobytes: Int) throws {
        folder = parent.url.appending(path: "disk")
        self.kilobytes = kilobytes
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    /// What the shell does first.
    var preparation: String { "mount -t tmpfs -o size=\(kilobytes)k none '\(folder.path)'" }

    /// A file on it, as the relay names it.
    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// The same file as the test sees it, through the relay's eyes.
    private func path(_ name: String, of program: Program) -> String {
        "/proc/\(program.identifier)/root" + path(name)
    }

    func text(_ name: String, of program: Program) throws -> String {
        try String(contentsOfFile: path(name, of: program), encoding: .utf8)
    }

    /// Writes to it until there is no room for another octet.
    func fill(of program: Program) throws {
        let file = open(path("filler", of: program), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        for size in [4_096, 1] {
            let octets = [UInt8](repeating: 0, count: size)
            while write(file, octets, size) > 0 {}
            try #require(errno == ENOSPC)
        }
    }

    /// Makes room again.
    func empty(of program: Program) throws {
        try #require(unlink(path("filler", of: program)) == 0)
    }
}
