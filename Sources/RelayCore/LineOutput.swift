import Glibc

/// Writes lines whole, as far as the file behind the descriptor takes them.
struct LineOutput {
    private let descriptor: Int32
    private let write: (UnsafeRawBufferPointer) -> Int
    /// A line was cut, by a disk that was full in the middle of it.
    private var isInsideLine = false

    /// - Parameter write: writes to the descriptor, unless given, as `write(2)` does.
    init(descriptor: Int32, write: ((UnsafeRawBufferPointer) -> Int)? = nil) {
        self.descriptor = descriptor
        self.write = write ?? { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    /// Tries to write each line, in order; returns the places of those that were not written, or not to their end.
    mutating func write(_ lines: [String]) -> [Int] {
        var lost: [Int] = []
        var rest = lines[...]
        while !rest.isEmpty {
            let batch = Self.batch(of: rest)
            rest = rest.dropFirst(writeTogether(batch))
            guard rest.startIndex < batch.endIndex else { continue }
            lost.append(rest.startIndex)
            rest = rest.dropFirst()
        }
        return lost
    }

    /// One line, and as many more as a pipe takes in one piece, so that nothing of another writer's comes in between.
    private static func batch(of lines: ArraySlice<String>) -> ArraySlice<String> {
        var octets = 1
        let more = lines.prefix { line in
            octets += line.utf8.count
            return octets <= Int(PIPE_BUF)
        }
        return lines.prefix(max(1, more.count))
    }

    /// Writes lines up to the first one that is not written to its end; returns how many are.
    private mutating func writeTogether(_ lines: ArraySlice<String>) -> Int {
        var octets: [UInt8] = isInsideLine ? [0x0a] : []
        var end = octets.count
        for line in lines { octets += line.utf8 }
        let written = write(octets)
        let whole = lines.prefix { line in
            guard end + line.utf8.count <= written else { return false }
            end += line.utf8.count
            return true
        }
        if written > 0 { isInsideLine = written > end }
        return whole.count
    }

    /// Returns how many octets were written before a failure, all unless there was one.
    private func write(_ octets: [UInt8]) -> Int {
        var rest = octets[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes(write)
            if written > 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                // Somebody who has the same pipe has made it non-blocking.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wanted, 1, -1)
            } else if errno != EINTR {
                break
            }
        }
        return octets.count - rest.count
    }
}
