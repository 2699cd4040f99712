import Glibc

/// What the file system tells of files and of the room for them.
enum Disk {
    /// Octets that are little room: a warning of the check, of the page, and of deploy/alerts.yml.
    static let warningSpace: Int64 = 512 << 20
    /// Octets that are as good as none.
    static let errorSpace: Int64 = 64 << 20

    /// Octets of a file; 0 when there is none.
    static func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Octets of a database with its log.
    static func size(ofDatabase path: String) -> Int64 { size(of: path) + size(of: path + "-wal") }

    /// Octets that an ordinary user may still write there; nil where the system does not say.
    static func space(at path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (octets, hasOverflowed) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return hasOverflowed ? .max : Int64(clamping: octets)
    }
}
