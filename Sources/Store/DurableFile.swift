import Glibc

/// Small files that a power cut leaves whole: as they were, or as they were to become.
enum DurableFile {
    /// The largest that is read.
    private static let mostOctets = 4_096

    /// The octets of a file, or of its beginning; nil when there is none.
    static func read(_ path: String) throws(StoreError) -> [UInt8]? {
        // Whoever opens a pipe would wait for somebody to write to it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .file(action: "read", path: path, code: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFIFO else {
            throw .file(action: "read", path: path, code: ESPIPE)
        }
        var octets = [UInt8](repeating: 0, count: mostOctets)
        let count = Glibc.read(descriptor, &octets, octets.count)
        guard count >= 0 else { throw .file(action: "read", path: path, code: errno) }
        return Array(octets.prefix(count))
    }

    /// Puts a file with mode 0600 in the place of the one that is there, if any.
    ///
    /// - Parameter owner: the file that a new one is to belong with; one that is there keeps whom it belongs to.
    static func write(_ octets: [UInt8], to path: String, owner: String) throws(StoreError) {
        let draft = path + ".new"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(action: "write", path: path, code: errno) }
        // A write that was cut says nothing about why.
        errno = ENOSPC
        var isDone = Glibc.write(descriptor, octets, octets.count) == octets.count
        isDone = isDone && give(descriptor, toOwnerOf: exists(path) ? path : owner) && fsync(descriptor) == 0
        isDone = isDone && rename(draft, path) == 0
        let code = errno
        close(descriptor)
        guard isDone else {
            unlink(draft)
            throw .file(action: "write", path: path, code: code)
        }
        try syncDirectory(of: path)
    }

    /// Gives what was just made to whom another file belongs, or its directory where there is no such file.
    ///
    /// A command that root runs makes what the relay's own user has to read and write afterwards.
    @discardableResult
    static func give(_ descriptor: Int32, toOwnerOf path: String) -> Bool {
        var status = stat()
        guard geteuid() == 0, stat(path, &status) == 0 || stat(directory(of: path), &status) == 0 else { return true }
        return fchown(descriptor, status.st_uid, status.st_gid) == 0
    }

    /// Where a file is.
    static func directory(of path: String) -> String {
        // By octets: an accent that the next name begins with makes one Character with the "/".
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<path.utf8.index(after: $0)]) } ?? "."
    }

    /// Has a name that was made or changed last over a power cut.
    static func syncDirectory(of path: String) throws(StoreError) {
        let descriptor = open(directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(action: "write", path: path, code: errno) }
        defer { close(descriptor) }
        // A file system that cannot sync a directory says so, and has nothing better to offer.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw .file(action: "write", path: path, code: errno)
        }
    }
}
