import Foundation

/// The octets of SQLite's write-ahead log, as far as a test has to understand them.
///
/// https://sqlite.org/fileformat.html#the_write_ahead_log
struct WriteAheadLog {
    static let headerLength = 32
    static let frameHeaderLength = 24

    let octets: [UInt8]
    /// Where each frame of this log begins; frames of an earlier one may lie behind the last.
    let frames: [Int]
    /// Where the frames of each commit end.
    let commits: [Int]

    init(_ octets: [UInt8]) {
        self.octets = octets
        func number(at offset: Int) -> Int {
            octets[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
        }
        let length = Self.frameHeaderLength + number(at: 8)
        var (frames, commits): ([Int], [Int]) = ([], [])
        for start in stride(from: Self.headerLength, through: octets.count - length, by: length) {
            // A frame is of this log if it has its salts.
            guard octets[start + 8..<start + 16] == octets[16..<24] else { break }
            frames.append(start)
            // Only the last frame of a commit says how large the database is after it.
            if number(at: start + 4) != 0 { commits.append(start + length) }
        }
        self.frames = frames
        self.commits = commits
    }

    /// How many commits lie in front of the first octet that `other`, the same up to `cut`, has differently or not.
    func commits(in other: [UInt8], cut: Int) -> Int {
        // What lies behind the cut may begin with what was there: a page has zeros in its middle.
        let common = cut + zip(octets[cut...], other[cut...]).prefix { $0 == $1 }.count
        return commits.count { $0 <= common }
    }

    /// Every 512th octet and its neighbours, and the edges of each header.
    var cuts: [Int] {
        let end = commits.last ?? 0
        let sectors = stride(from: 0, through: end, by: 512)
        let headers = [0, Self.headerLength, end] + frames.flatMap { [$0, $0 + Self.frameHeaderLength] }
        // In a header: the salts and the checksum begin at 8 and 16, in the log's own at 16 and 24.
        let inside = [8, 12, 16, 20, 24, 28] + frames.flatMap { [$0 + 4, $0 + 8, $0 + 16, $0 + 20] }
        let around = (Array(sectors) + headers).flatMap { [$0 - 1, $0, $0 + 1] }
        return Set(around + inside).filter { (0...end).contains($0) }.sorted()
    }
}
