import Foundation
import Glibc
import Synchronization
import Testing

@testable import RelayCore

/// A pipe between a log and somebody who need not read.
private final class LogPipe: Sendable {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit { close(reading) }

    /// Fills it until it takes no more, and returns how many octets that took.
    func fill() -> Int {
        let flags = fcntl(writing, F_GETFL)
        _ = fcntl(writing, F_SETFL, flags | O_NONBLOCK)
        defer { _ = fcntl(writing, F_SETFL, flags) }
        var count = 0
        while write(writing, "x", 1) == 1 { count += 1 }
        return count
    }

    /// Reads lines on a thread of its own until one satisfies `isLast`.
    func lines(until isLast: @escaping @Sendable (String) -> Bool) async -> [String] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [reading] in
                var octets: [UInt8] = []
                var lines: [String] = []
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = read(reading, &buffer, buffer.count)
                    if count > 0 { octets += buffer.prefix(count) }
                    while let end = octets.firstIndex(of: 0x0a) {
                        lines.append(String(decoding: octets[..<end], as: UTF8.self))
                        octets.removeSubrange(...end)
                        if isLast(lines[lines.count - 1]) { return continuation.resume(returning: lines) }
                    }
                    if count <= 0 { return continuation.resume(returning: lines) }
                }
            }
        }
    }
}

@Suite struct LogWriterTests {
    private func writer(to descriptor: Int32) throws -> LogWriter {
        try LogWriter(to: descriptor) { "lost \($0)\n" }
    }

    @Test func `lines arrive in the order in which they were said`() async throws {
        let pipe = try LogPipe()
        let writer = try writer(to: pipe.writing)
        for number in 0..<1_000 { writer.write("\(number)\n") }
        #expect(await pipe.lines { $0 == "999" } == (0..<1_000).map(String.init))
        #expect(writer.flush(within: .seconds(60)))
    }

    @Test(arguments: [0, 1_019])
    func `while nobody reads nobody waits, what is too much is lost, and one line says where and how much`(
        length: Int
    ) async throws {
        let filler = String(repeating: "y", count: length)
        // A line is five octets longer than its filler.
        let room = min(4_096, 1_048_576 / (length + 5))
        let pipe = try LogPipe()
        let filled = pipe.fill()
        let writer = try writer(to: pipe.writing)
        let said = room + 500
        for number in 0..<said { writer.write(String(1_000 + number) + filler + "\n") }
        #expect(!writer.flush(within: .milliseconds(1)))

        // The thread may have begun when some were lost already: then that is said in two lines.
        let sum = Mutex(0)
        let lines = await pipe.lines { line in
            guard line.hasPrefix("lost ") else { return false }
            return sum.withLock { sum in
                sum += Int(line.dropFirst(5)) ?? 0
                return sum == 500
            }
        }
        #expect(lines.first.map { $0.dropFirst(filled).prefix(4) } == "1000")
        let numbers = lines.dropFirst().filter { !$0.hasPrefix("lost ") }.map { Int($0.prefix(4)) }
        let isAsExpected = numbers == (1_001..<1_000 + room).map { $0 }
        #expect(isAsExpected, "\(numbers.count) lines, the last ones \(numbers.suffix(3))")
        #expect(lines.drop { !$0.hasPrefix("lost ") }.allSatisfy { $0.hasPrefix("lost ") })

        writer.write("after\n")
        #expect(await pipe.lines { $0 == "after" } == ["after"])
        #expect(writer.linesLost == 500)
    }

    @Test func `what waits for more to come is written at once for whoever flushes`() async throws {
        let pipe = try LogPipe()
        let writer = try LogWriter(to: pipe.writing, patience: .seconds(3_600)) { "lost \($0)\n" }
        for round in 0..<2 {
            for number in 0..<3 { writer.write("\(round) \(number)\n") }
            try #require(writer.flush(within: .seconds(60)))
            #expect(await pipe.lines { $0 == "\(round) 2" } == (0..<3).map { "\(round) \($0)" })
        }
    }

    @Test func `what a full disk swallowed is counted, and told when there is room again`() throws {
        let file = NSTemporaryDirectory() + "log-\(UUID().uuidString)"
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        let writer = try writer(to: descriptor)
        for number in 0..<3 { writer.write("\(number)\n") }
        #expect(writer.flush(within: .seconds(60)))
        writer.write("3\n")
        #expect(writer.flush(within: .seconds(60)))

        // The same descriptor, with room behind it.
        let roomy = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { unlink(file) }
        dup2(roomy, descriptor)
        close(roomy)
        writer.write("4\n")
        #expect(writer.flush(within: .seconds(60)))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "lost 4\n4\n")
        #expect(writer.linesLost == 4)
    }
}
