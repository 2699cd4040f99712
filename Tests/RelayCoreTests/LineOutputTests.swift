import Glibc
import Testing

@testable import RelayCore

/// A disk that takes so many octets, and then no more until there is room again.
private final class Disk {
    var room: Int
    private(set) var octets: [UInt8] = []
    private(set) var writes = 0

    init(room: Int) {
        self.room = room
    }

    func write(_ octets: UnsafeRawBufferPointer) -> Int {
        guard room > 0 else {
            errno = ENOSPC
            return -1
        }
        let taken = octets.prefix(room)
        room -= taken.count
        writes += 1
        self.octets += taken
        return taken.count
    }

    var text: String { String(decoding: octets, as: UTF8.self) }
}

@Suite struct LineOutputTests {
    private func output(to disk: Disk) -> LineOutput {
        LineOutput(descriptor: -1, write: disk.write)
    }

    @Test(arguments: [
        (0, "", [0, 1, 2, 3]), (4, "one\n", [1, 2, 3]), (5, "one\nt", [1, 2, 3]),
        // What is short would have found room where what is long was cut.
        (9, "one\nthree", [1, 2, 3]), (10, "one\nthree\n", [2, 3]), (13, "one\nthree\n4\n5", [3]),
        (14, "one\nthree\n4\n5\n", []),
    ])
    func `on a disk that fills up, what is not written to its end is told line by line`(
        room: Int,
        text: String,
        lost: [Int]
    ) {
        let disk = Disk(room: room)
        var output = output(to: disk)
        #expect(output.write(["one\n", "three\n", "4\n", "5\n"]) == lost)
        #expect(disk.text == text)
    }

    @Test(arguments: [(3, "one\nafter\n"), (4, "one\nafter\n"), (5, "one\nt\nafter\n")])
    func `what comes behind a line that was cut begins a line of its own`(room: Int, text: String) {
        let disk = Disk(room: room)
        var output = output(to: disk)
        _ = output.write(["one\n", "two\n"])
        disk.room = 100
        #expect(output.write(["after\n"]) == [])
        #expect(disk.text == text)
    }

    @Test func `lines are written together as far as a pipe takes them in one piece`() {
        let disk = Disk(room: .max)
        var output = output(to: disk)
        let lines = (0..<10).map { String(repeating: "\($0)", count: 999) + "\n" }
        #expect(output.write(lines) == [])
        #expect(disk.text == lines.joined())
        #expect(disk.writes == 3)
        #expect(output.write([String(repeating: "y", count: 10_000)]) == [])
        #expect(disk.writes == 4)
    }
}
