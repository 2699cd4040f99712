import Glibc

/// The file of a listening socket.
struct SocketFile: Sendable {
    private let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Takes over the file that `bind` has made, and opens it to those who may connect.
    init?(_ path: String, mode: mode_t) {
        _ = chmod(path, mode)
        guard let status = Self.status(path) else { return nil }
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    /// Removes the file unless another process has put its own in the place.
    func remove() {
        guard let status = Self.status(path), status.st_dev == device, status.st_ino == inode else { return }
        _ = unlink(path)
    }

    /// Removes what a process that was killed left behind: a socket, and one on which nobody listens.
    static func removeStale(_ path: String, _ address: SocketAddress) throws(ServerError) {
        guard let status = status(path) else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        guard let fault = address.connectionFault else {
            throw .failed(operation: "socket", address: .unix(path: path), code: errno)
        }
        guard fault == ECONNREFUSED else { throw .socketInUse(path: path) }
        _ = unlink(path)
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }
}
