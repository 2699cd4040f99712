import Glibc

/// What the process uses; a figure that the system does not give is nil.
package struct ProcessFigures: Sendable {
    /// Seconds since 1970.
    package var startedAt: Int64?
    /// Of all its threads, in user and kernel mode.
    package var processorSeconds: Double?
    package var residentOctets: Int64?
    package var virtualOctets: Int64?
    package var openDescriptors: Int?
    /// The soft limit.
    package var mostDescriptors: UInt64?

    package init() {}

    /// Reads them anew; it takes two short files and a directory of /proc, and leaves `startedAt` as it is.
    package mutating func read() {
        var time = timespec()
        if clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 {
            processorSeconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        // In pages: all, then those in memory (proc(5), statm).
        let pages = Self.words(of: "/proc/self/statm").prefix(2).map { Int64($0) }
        let page = Int64(sysconf(Int32(_SC_PAGESIZE)))
        if pages.count == 2, let all = pages[0], let resident = pages[1] {
            (virtualOctets, residentOctets) = (all &* page, resident &* page)
        }
        openDescriptors = Self.entries(of: "/proc/self/fd")
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            mostDescriptors = UInt64(limit.rlim_cur)
        }
    }

    private static func words(of path: String) -> [Substring] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: 256)
        let count = octets.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return String(decoding: octets.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
    }

    /// Without the two that every directory has, and without the descriptor that it is read by.
    private static func entries(of path: String) -> Int? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return max(0, count - 3)
    }
}
