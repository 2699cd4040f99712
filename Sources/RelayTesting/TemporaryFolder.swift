package import Foundation
import Glibc
import Synchronization

/// A folder of one test, removed with it, or at the end of the process if something keeps it that long.
package final class TemporaryFolder: Sendable {
    package let url: URL

    /// What is shared by all tests, such as a simulator, never goes before the process does.
    private static let living: Mutex<Set<URL>> = {
        atexit { TemporaryFolder.living.withLock { for url in $0 { try? FileManager.default.removeItem(at: url) } } }
        return Mutex([])
    }()

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "relay-\(UUID().uuidString.lowercased())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        Self.living.withLock { [url] in _ = $0.insert(url) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
        Self.living.withLock { [url] in _ = $0.remove(url) }
    }

    /// The path of a file in it, whether or not there is one.
    package func path(_ name: String) -> String { url.appending(path: name).path }

    /// Writes a file, and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }
}
