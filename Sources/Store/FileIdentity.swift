import Glibc

/// Which files a database was opened from.
///
/// A process goes on writing to a file whose name somebody has removed or given to another; nothing of that would be
/// there after a restart.
struct FileIdentity {
    private struct Place: Equatable {
        let device: UInt
        let number: UInt

        /// The file that a path leads to now; nil for none.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, number) = (status.st_dev, status.st_ino)
        }
    }

    private let places: [(path: String, place: Place?)]

    /// The files at these paths.
    init(_ paths: [String]) {
        places = paths.map { ($0, Place($0)) }
    }

    /// The first path that no longer leads to its file; nil when all do.
    var missing: String? {
        places.first { Place($0.path) != $0.place }?.path
    }
}
