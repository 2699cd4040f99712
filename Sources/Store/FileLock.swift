import Glibc

/// Keeps a second relay away from the database, and remembers that there is one.
///
/// A lock on a file of its own: SQLite's locks on the database come and go with each transaction, and closing any other
/// descriptor of that file would drop them.
struct FileLock: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// Makes the file where there is none, for whom the one at `owner` belongs to.
    ///
    /// - Throws: ``StoreError/inUse(path:)`` when another process, or another store of this one, holds it.
    init(_ path: String, owner: String) throws(StoreError) {
        try self.init(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600), path)
        DurableFile.give(descriptor, toOwnerOf: owner)
    }

    /// The lock as it is there, for who only looks; nil when there is none, since no relay has been here then.
    init?(existing path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return nil }
        try self.init(descriptor, path)
    }

    private init(_ descriptor: Int32, _ path: String) throws(StoreError) {
        guard descriptor >= 0 else { throw .file(action: "open", path: path, code: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            throw code == EWOULDBLOCK ? .inUse(path: path) : .file(action: "lock", path: path, code: code)
        }
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        // Not by closing alone: a child that has just been forked, and has not yet begun its program, holds it open.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Whether a database was made here once.
    borrowing func isMarked() throws(StoreError) -> Bool {
        try !text().isEmpty
    }

    /// Whether the file at `path` is the one that was last marked.
    borrowing func isMark(of path: String) throws(StoreError) -> Bool {
        try text() == Self.mark(of: path)
    }

    /// Whether the file at `database` is another one than was last marked; false when none ever was.
    borrowing func isReplaced(_ database: String) throws(StoreError) -> Bool {
        let text = try text()
        return !text.isEmpty && text != Self.mark(of: database)
    }

    /// Remembers that there is a database, and which file it is, now or under a name to come; the mark is on the disk
    /// when it returns.
    borrowing func mark(_ database: String) throws(StoreError) {
        let mark = Self.mark(of: database)
        guard try text() != mark else { return }
        // In this order a relay that is killed in between leaves some mark.
        guard pwrite(descriptor, mark, mark.count, 0) == mark.count, ftruncate(descriptor, off_t(mark.count)) == 0,
            fsync(descriptor) == 0
        else { throw .file(action: "write", path: path, code: errno) }
        try DurableFile.syncDirectory(of: path)
    }

    private borrowing func text() throws(StoreError) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: 1_024)
        let count = pread(descriptor, &octets, octets.count, 0)
        guard count >= 0 else { throw .file(action: "read", path: path, code: errno) }
        return Array(octets.prefix(count))
    }

    private static func mark(of database: String) -> [UInt8] {
        var status = stat()
        let number = stat(database, &status) == 0 ? "\(status.st_ino)" : "unknown"
        return Array(
            "A relay's database belongs beside this file: without it the relay does not start. Inode \(number).\n".utf8
        )
    }
}
