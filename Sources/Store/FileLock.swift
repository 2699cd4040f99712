import Glibc

/// Keeps a second relay away from the database, and remembers that there is one.
///
/// A lock on a file of its own: SQLite's locks on the database come and go with each transaction, and closing any other
/// descriptor of that file would drop them.
struct FileLock: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// - Throws: ``StoreError/inUse(path:)`` when another process, or another store of this one, holds it.
    init(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
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
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(action: "read", path: path, code: errno) }
        return status.st_size > 0
    }

    /// Remembers that there is a database; the mark is on the disk when it returns.
    borrowing func mark() throws(StoreError) {
        guard try !isMarked() else { return }
        let text = Array("A relay's database belongs beside this file. Without it the relay does not start.\n".utf8)
        guard write(descriptor, text, text.count) == text.count, fsync(descriptor) == 0 else {
            throw .file(action: "write", path: path, code: errno)
        }
        try DurableFile.syncDirectory(of: path)
    }
}
