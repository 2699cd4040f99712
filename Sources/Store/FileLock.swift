import Glibc

/// Keeps a second relay away from the database, and remembers that there is one, and how it was left.
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
        try firstLine() == Self.mark(of: path)
    }

    /// Whether the file at `database` is another one than was last marked; false when none ever was.
    borrowing func isReplaced(_ database: String) throws(StoreError) -> Bool {
        let mark = try firstLine()
        return !mark.isEmpty && mark != Self.mark(of: database)
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

    /// Whether nobody has touched the file at `database` since ``leave(_:)``, which said that it is in order.
    borrowing func isAsLeft(_ database: String) throws(StoreError) -> Bool {
        guard let note = Self.note(of: database) else { return false }
        // Whatever else is there, such as one that a power cut has torn, is no note.
        return try text() == Self.mark(of: database) + note
    }

    /// Remembers the marked file as it is now, all of which has to be on the disk; a log it must not have.
    borrowing func leave(_ database: String) throws(StoreError) {
        let mark = Self.mark(of: database)
        guard try text() == mark, let note = Self.note(of: database) else { return }
        guard pwrite(descriptor, note, note.count, off_t(mark.count)) == note.count, fsync(descriptor) == 0 else {
            throw .file(action: "write", path: path, code: errno)
        }
    }

    /// Forgets how the file was left, also for a start after a power cut: from now on it may be written to.
    borrowing func forget() throws(StoreError) {
        let length = try firstLine().count
        guard try text().count > length else { return }
        guard ftruncate(descriptor, off_t(length)) == 0, fsync(descriptor) == 0 else {
            throw .file(action: "write", path: path, code: errno)
        }
    }

    /// The mark, which is all that earlier releases write.
    private borrowing func firstLine() throws(StoreError) -> [UInt8] {
        let text = try text()
        return text.firstIndex(of: UInt8(ascii: "\n")).map { Array(text[...$0]) } ?? text
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

    /// What tells a file that was changed, or put in another's place; nil where that cannot be told.
    ///
    /// Any program can set the time of modification, as copies that keep it do; that of the last change of anything, the
    /// times included, none can.
    private static func note(of database: String) -> [UInt8]? {
        var status = stat()
        guard stat(database, &status) == 0 else { return nil }
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        // A file system that keeps whole seconds shows no change that comes within the same one.
        guard modified.tv_nsec != 0, changed.tv_nsec != 0 else { return nil }
        let note = """
            It was left in order: device \(status.st_dev), \(status.st_size) octets, modified \(modified.tv_sec) s \
            \(modified.tv_nsec) ns, changed \(changed.tv_sec) s \(changed.tv_nsec) ns.

            """
        return Array(note.utf8)
    }
}
