import Crypto
import FoundationEssentials
import Glibc

/// The file beside the database that keeps the provider token over a restart, readable by the relay alone.
///
/// Without it a relay that is restarted twice within 20 minutes would make a second token and have Apple refuse both. It
/// is a convenience: one that cannot be read or written is as good as none.
package struct TokenFile: Sendable {
    private let path: String
    private let bootID: String

    /// - Parameter bootID: names this start of the machine; uptimes of another one say nothing.
    package init(path: String, bootID: String = currentBootID()) {
        self.path = path
        self.bootID = bootID
    }

    private struct Content: Codable {
        let key: String
        let token: String
        let issuedAt: Int64
        let uptimeMilliseconds: Int64
        let bootID: String
    }

    /// The token of an earlier run, if it was signed with the same key.
    ///
    /// After a restart of the machine its age is known by the wall clock alone; one from the future counts as new.
    func load(for key: ProviderKey, now: Int64, uptime: Duration) -> IssuedToken? {
        guard
            let data = try? Data(contentsOf: URL(filePath: path)),
            let content = try? JSONDecoder().decode(Content.self, from: data),
            content.key == key.fingerprint,
            // A bearer goes into a header: nothing but a token's own letters may come out of a file.
            content.token.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || Base64URL.isLetter($0) }),
            (-4_102_444_800...4_102_444_800).contains(content.issuedAt)
        else { return nil }
        let age = Duration.seconds(max(0, now - content.issuedAt))
        let saved = Duration.milliseconds(content.uptimeMilliseconds)
        let isSameBoot = content.bootID == bootID && saved <= uptime
        return IssuedToken(
            token: content.token,
            issuedAt: content.issuedAt,
            uptime: isSameBoot ? saved : uptime - age
        )
    }

    /// Keeps a token; written whole under another name first, so that a crash leaves the old one or the new.
    func save(_ issued: IssuedToken, for key: ProviderKey) {
        let content = Content(
            key: key.fingerprint,
            token: issued.token,
            issuedAt: issued.issuedAt,
            uptimeMilliseconds: Int64(issued.uptime / .milliseconds(1)),
            bootID: bootID
        )
        guard let data = try? JSONEncoder().encode(content) else { return }
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        giveToOwnerOfFolder(descriptor)
        let written = data.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        guard written == data.count else {
            unlink(temporary)
            return
        }
        rename(temporary, path)
    }
}

extension TokenFile {
    /// A command that root runs must not leave a file that the relay cannot read: it would make a token of its own.
    private func giveToOwnerOfFolder(_ descriptor: Int32) {
        guard geteuid() == 0 else { return }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(path[...$0]) } ?? "."
        var status = stat()
        if stat(folder, &status) == 0 { _ = fchown(descriptor, status.st_uid, status.st_gid) }
    }
}

/// The name that the kernel gives to this start of the machine; empty where it cannot be read.
package func currentBootID() -> String {
    (try? String(contentsOf: URL(filePath: "/proc/sys/kernel/random/boot_id"), encoding: .utf8)) ?? ""
}
