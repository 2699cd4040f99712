import APNs
import HTTPServer
import RelayTesting
import Synchronization
import Testing

@testable import RelayCore
@testable import Store

@Suite("The log of deliveries") struct DeliveryLogTests {
    private final class Written: Sendable {
        let lines = Mutex<[String]>([])
    }

    private let clock = ManualClock(now: 1_800_000_000)
    private let written = Written()
    private let log: DeliveryLog

    init() {
        let (clock, written) = (clock, written)
        let log = Log(level: .debug, format: .text) { line in written.lines.withLock { $0.append(line) } }
        self.log = DeliveryLog(log, uptime: { clock.uptime })
    }

    private var lines: [String] { written.lines.withLock { $0 } }

    private func say(_ cause: String, event: String = "push_failed", level: Log.Level = .warning) {
        log(LogLine(level: level, event: event, cause: cause, remedy: "wait"), about: SubscriptionID(hashing: [1]))
    }

    @Test func `a line names the subscription by eight digits, the cause and the remedy`() {
        say("503 Shutdown")
        let end = #"level=warning event=push_failed subscription=4bf5122f cause="503 Shutdown" remedy=wait"#
        #expect(lines.count == 1)
        #expect(lines.first?.hasSuffix(end + "\n") == true)
    }

    @Test func `one cause is said once a minute, and the next line counts what was left out`() {
        for _ in 0..<100 { say("503 Shutdown") }
        clock.advance(by: 59)
        say("503 Shutdown")
        #expect(lines.count == 1)
        #expect(lines.first?.contains("left_out") == false)
        clock.advance(by: 1)
        for _ in 0..<3 { say("503 Shutdown") }
        #expect(lines.count == 2)
        #expect(lines.last?.hasSuffix("left_out=100\n") == true)
        clock.advance(by: 3_600)
        say("503 Shutdown")
        #expect(lines.last?.hasSuffix("left_out=2\n") == true)
        clock.advance(by: 60)
        say("503 Shutdown")
        #expect(lines.count == 4)
        #expect(lines.last?.contains("left_out") == false)
    }

    @Test func `each cause has a line of its own, and so has each event`() {
        for _ in 0..<3 {
            say("503 Shutdown")
            say("403 Forbidden")
            say("403 Forbidden", event: "apple_refuses_configuration", level: .error)
            say("403 Forbidden", event: "deletion_refused", level: .error)
        }
        #expect(lines.count == 4)
    }

    @Test func `lines of information are written however often they come`() {
        for _ in 0..<10 { say("503 Shutdown", event: "push_repeated", level: .info) }
        #expect(lines.count == 10)
        #expect(!lines.contains { $0.contains("left_out") })
    }

    @Test func `a line that is an event of its own each time is never left out`() {
        for _ in 0..<10 {
            let line = LogLine(level: .error, event: "device_gone", cause: "410 Unregistered", isRepeatable: true)
            log(line, about: SubscriptionID(hashing: [1]))
        }
        #expect(lines.count == 10)
    }

    @Test func `a cause that was invented a thousand times does not silence or outgrow the log`() {
        for number in 0..<1_000 { say("400 \(number)") }
        #expect(lines.count == 1_000)
        say("400 999")
        #expect(lines.count == 1_000)
        #expect(log.count <= 100)
    }

    @Test func `of thirty pushes that fail alike one line is written, and of two causes two`() async throws {
        let relay = try await TestRelay()
        for prefix in ["fa11f", "c0de0e"] {
            for _ in 0..<2 {
                let subscription = try await relay.subscribe(freshToken(prefix))
                for _ in 0..<15 { #expect(try await relay.push(to: subscription).status == 502) }
            }
        }
        #expect(relay.logLines(of: "push_failed").count == 1)
        #expect(relay.logLines(of: "apple_refuses_configuration").count == 1)
        #expect(!relay.logLines.contains { $0.contains("level=warning") && !$0.contains("remedy=") })
        relay.clock.advance(by: 60)
        let subscription = try await relay.subscribe(freshToken("fa11f"))
        #expect(try await relay.push(to: subscription).status == 502)
        #expect(relay.logLines(of: "push_failed").last?.contains("left_out=29") == true)
    }

    @Test(arguments: [(7_200, "behind"), (-7_200, "ahead of")])
    func `a clock that is wrong is named as such, by about how much`(offset: Int, word: String) async throws {
        let apple = try await AppleSimulator("--date-offset", "\(offset)")
        let relay = try await TestRelay(apple: apple)
        #expect(try await relay.push(to: relay.subscribe(freshToken("c0de11"))).status == 502)
        let line = try #require(relay.logLines(of: "apple_refuses_configuration").first)
        #expect(line.contains(#"cause="403 ExpiredProviderToken""#))
        let match = try #require(line.firstMatch(of: /this machine's clock is ([0-9]+) s (behind|ahead of) Apple's/))
        #expect(match.2 == word)
        #expect(abs(7_200 - (Int(match.1) ?? 0)) < 600)
    }

    @Test func `a clock that agrees with Apple's is not blamed by a number`() async throws {
        let relay = try await TestRelay()
        #expect(try await relay.push(to: relay.subscribe(freshToken("c0de13"))).status == 502)
        let line = try #require(relay.logLines(of: "apple_refuses_configuration").first)
        #expect(line.contains("APNS_KEY_FILE"))
        #expect(!line.contains("clock"))
    }

    @Test(
        arguments: [
            (1_800_000_060, 1_800_000_000, nil), (1_800_000_000, 1_800_000_061, "61 s behind"),
            (1_800_000_061, 1_800_000_000, "61 s ahead of"),
            (1_800_000_000, 1_800_000_060, nil), (Int64.max, Int64.min, nil), (Int64.min, Int64.max, nil),
            (1_800_000_000, nil, nil),
        ] as [(Int64, Int64?, String?)]
    )
    func `more than a minute between the clocks is named, and nothing overflows`(
        now: Int64,
        date: Int64?,
        difference: String?
    ) {
        let rejection = Rejection(status: 403, word: "ExpiredProviderToken", date: date)
        let remedy = Outcome.Cause.rejection(rejection).remedy(now: now)
        if let difference { #expect(remedy.contains("clock is \(difference) Apple's")) }
        #expect(remedy.contains("timedatectl"))
        #expect((remedy.firstMatch(of: /[0-9]/) != nil) == (difference != nil))
    }
}
