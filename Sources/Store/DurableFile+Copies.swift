import Glibc

/// Whole databases, which may be large.
extension DurableFile {
    private static let chunk = 1 << 18

    /// Whether there is anything of that name, a link that leads nowhere included.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Makes an empty file for its owner's eyes only, who is that of `owner` where the file system knows owners; there
    /// must be none.
    static func create(_ path: String, owner: String) throws(StoreError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file(action: "create", path: path, code: errno) }
        defer { close(descriptor) }
        give(descriptor, toOwnerOf: owner)
    }

    /// Makes a directory that only the owner of `owner` can enter, likewise; false when there is something already.
    static func createDirectory(_ path: String, owner: String) throws(StoreError) -> Bool {
        guard mkdir(path, 0o700) == 0 else {
            if errno == EEXIST { return false }
            throw .file(action: "create the directory", path: path, code: errno)
        }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 {
            give(descriptor, toOwnerOf: owner)
            close(descriptor)
        }
        try syncDirectory(of: path)
        return true
    }

    /// Has what was written to a file last over a power cut.
    static func sync(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(action: "write", path: path, code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .file(action: "write", path: path, code: errno) }
    }

    /// Copies a file to a name that must not exist, mode 0600; the copy belongs to whom `owner` does, or its directory.
    static func copy(_ source: String, to path: String, owner: String) throws(StoreError) {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw .file(action: "read", path: source, code: errno) }
        defer { close(input) }
        let output = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw .file(action: "write", path: path, code: errno) }
        defer { close(output) }
        var octets = [UInt8](repeating: 0, count: chunk)
        while true {
            let count = Glibc.read(input, &octets, octets.count)
            guard count >= 0 else { throw .file(action: "read", path: source, code: errno) }
            if count == 0 { break }
            // A write that was cut says nothing about why.
            errno = ENOSPC
            guard Glibc.write(output, octets, count) == count else {
                throw .file(action: "write", path: path, code: errno)
            }
        }
        guard give(output, toOwnerOf: owner), fsync(output) == 0 else {
            throw .file(action: "write", path: path, code: errno)
        }
    }

    /// Whether two files hold the same octets; false when one of them cannot be read.
    static func areAlike(_ one: String, _ other: String) -> Bool {
        let descriptors = [open(one, O_RDONLY | O_CLOEXEC), open(other, O_RDONLY | O_CLOEXEC)]
        defer { for descriptor in descriptors where descriptor >= 0 { close(descriptor) } }
        guard descriptors.allSatisfy({ $0 >= 0 }) else { return false }
        var octets = descriptors.map { _ in [UInt8](repeating: 0, count: chunk) }
        while true {
            let counts = descriptors.indices.map { Glibc.read(descriptors[$0], &octets[$0], chunk) }
            guard counts[0] >= 0, counts[0] == counts[1], octets[0].prefix(counts[0]) == octets[1].prefix(counts[0])
            else { return false }
            if counts[0] == 0 { return true }
        }
    }

    /// Gives a draft its name, on the disk too, unless there is something of that name.
    static func publish(_ draft: String, as path: String) throws(StoreError) {
        try sync(draft)
        // Unlike a rename, a link never takes the place of what is there. Not every file system has links.
        if link(draft, path) == 0 {
            unlink(draft)
        } else {
            guard errno != EEXIST, !exists(path) else { throw .exists(path: path) }
            guard rename(draft, path) == 0 else { throw .file(action: "create", path: path, code: errno) }
        }
        try syncDirectory(of: path)
    }
}
