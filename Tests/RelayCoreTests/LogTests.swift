import Foundation
import Glibc
import Synchronization
import Testing

@testable import RelayCore

@Suite struct LogTests {
    private final class Written: Sendable {
        let lines = Mutex<[String]>([])
    }

    private func line(_ format: Log.Format, _ value: String?) -> String {
        let written = Written()
        let log = Log(level: .info, format: format) { line in written.lines.withLock { $0.append(line) } }
        log(.warning, "something", ["key": value])
        return written.lines.withLock { $0.joined() }
    }

    @Test func `an event is one line that begins with its time, its level and its name`() throws {
        let line = line(.text, "value")
        let parts = line.split(separator: " ")
        #expect(parts[0].hasPrefix("time=20"))
        #expect(parts[0].hasSuffix("Z"))
        #expect(parts[1...].joined(separator: " ") == "level=warning event=something key=value\n")
    }

    @Test(arguments: [
        (0, 0, "1970-01-01T00:00:00.000Z"), (1_709_164_799, 7_999_999, "2024-02-28T23:59:59.007Z"),
        (4_294_967_296, 999_999_999, "2106-02-07T06:28:16.999Z"),
    ])
    func `a time is in UTC and has all its digits`(seconds: Int, nanoseconds: Int, text: String) {
        #expect(LogLineText.text(of: timespec(tv_sec: seconds, tv_nsec: nanoseconds)) == text)
    }

    @Test(arguments: [
        ("two words", #""two words""#), ("", #""""#), ("a=b", #""a=b""#), (#"say "hi""#, #""say \"hi\"""#),
        ("line\nfeed", #""line\u000afeed""#), ("\u{1b}[31m", #""\u001b[31m""#), ("é", #""\u00e9""#),
        ("😀", #""\ud83d\ude00""#), (#"back\slash"#, #""back\\slash""#), ("\u{2028}", #""\u2028""#),
    ])
    func `a value that could end its line or its field is quoted and escaped`(value: String, quoted: String) {
        #expect(line(.text, value).hasSuffix("key=\(quoted)\n"))
    }

    @Test(arguments: ["plain", "two words", "\"\\\n\u{1b}😀\u{0}", ""])
    func `as JSON a line is one object whose value comes back as it was`(value: String) throws {
        let line = line(.json, value)
        #expect(line.utf8.count { $0 == 0x0a } == 1)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
        #expect(object?["key"] == value)
        #expect(object?["level"] == "warning")
        #expect(object?["event"] == "something")
        #expect(object?["time"] != nil)
    }

    @Test(arguments: [Log.Format.text, .json])
    func `a value that is nil leaves its field out`(format: Log.Format) {
        #expect(!line(format, nil).contains("key"))
    }

    @Test(arguments: Log.Level.allCases)
    func `an event below the level is not written`(level: Log.Level) {
        let written = Written()
        let log = Log(level: level, format: .text) { line in written.lines.withLock { $0.append(line) } }
        for event in Log.Level.allCases { log(event, event.rawValue) }
        let count = written.lines.withLock { $0.count }
        #expect(count == Log.Level.allCases.count { $0 >= level })
    }
}
