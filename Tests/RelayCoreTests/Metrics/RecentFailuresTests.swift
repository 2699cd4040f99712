import Testing

@testable import RelayCore

@Suite struct RecentFailuresTests {
    private let failures = RecentFailures(now: { 7 })

    private func log(_ level: Log.Level = .info) -> Log {
        Log(level: level, format: .text, failures: failures) { _ in }
    }

    @Test(arguments: Log.Level.allCases)
    func `warnings and errors are kept, whatever is written`(level: Log.Level) {
        let log = log(level)
        log(.debug, "a")
        log(.info, "b")
        log(.warning, "c", ["subscription": "0123abcd", "cause": "503 Shutdown", "remedy": "wait"])
        log(.error, "d", ["error": "database_unavailable", "detail": "the disk is full: make room", "left_out": nil])
        log(.error, "e", ["error": "internal_failure", "detail": nil])
        #expect(
            failures.entries == [
                .init(time: 7, level: .error, event: "e", cause: "internal_failure", remedy: nil),
                .init(time: 7, level: .error, event: "d", cause: "the disk is full: make room", remedy: nil),
                .init(time: 7, level: .warning, event: "c", cause: "503 Shutdown", remedy: "wait"),
            ]
        )
    }

    @Test(arguments: [1, 49, 50, 51, 99, 100, 120])
    func `the latest fifty are kept, the latest first`(count: Int) {
        let log = log()
        for number in 0..<count { log(.error, "\(number)") }
        #expect(failures.entries.map(\.event) == (0..<count).suffix(50).reversed().map { "\($0)" })
    }

    @Test func `a long text is cut`() {
        log()(.error, "long", ["cause": String(repeating: "é", count: 1_000), "remedy": "wait"])
        #expect(failures.entries.first?.cause == String(repeating: "é", count: 250))
    }
}
