import Glibc

/// A small file, read whole.
package struct File: Sendable {
    package let octets: [UInt8]
    /// The permission bits.
    package let mode: UInt32

    package init(octets: [UInt8], mode: UInt32) {
        self.octets = octets
        self.mode = mode
    }

    /// More than any key, bundle of certificates or environment file has.
    private static let largest = 4_194_304

    /// Reads a file of up to 4 MiB.
    package static func read(_ path: String) throws(FileError) -> File {
        // Whoever opens a pipe would wait for somebody to write to it, and no signal would end that.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(path, errno) }
        guard status.st_mode & S_IFMT != S_IFIFO else { throw FileError(path, ESPIPE) }
        var octets: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while octets.count < largest {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw FileError(path, errno)
            }
            if count == 0 { break }
            octets += chunk.prefix(count)
        }
        return File(octets: octets, mode: status.st_mode & 0o777)
    }
}

/// Why a file cannot be read; its text follows "a file that".
package struct FileError: Error, Equatable, CustomStringConvertible {
    package let path: String
    package let code: Int32

    package init(_ path: String, _ code: Int32) {
        self.path = path
        self.code = code
    }

    package var description: String {
        switch code {
        case ENOENT: "does not exist (\(path)): check the path"
        case EACCES, EPERM: "may not be read (\(path)): give it to the user that the relay runs as"
        case EISDIR: "cannot be read, because it is a directory (\(path)): name a file in it"
        case ESPIPE: "cannot be read, because it is a pipe (\(path)): write it to a file"
        default: "cannot be read (\(path), \(String(cString: strerror(code)))): check the path and the disk"
        }
    }
}
