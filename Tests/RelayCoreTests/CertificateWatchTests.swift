import APNs
import RelayTesting
import Synchronization
import Testing

@testable import RelayCore

@Suite struct CertificateWatchTests {
    private static let day: Int64 = 86_400

    /// A watch over a peer that answers what the test has it answer.
    private final class Case: Sendable {
        let clock = ManualClock(now: 1_800_000_000)
        let answer: Mutex<Result<[Certificate], ProbeError>>
        let looks = Mutex(0)
        let lines = Mutex<[String]>([])

        init(_ answer: Result<[Certificate], ProbeError>) { self.answer = Mutex(answer) }

        func watch(_ url: String = "https://push.example.org") -> CertificateWatch {
            let clock = clock
            return CertificateWatch(
                publicURL: url,
                clocks: Clocks(now: { clock.now }, uptime: { clock.uptime }),
                log: Log(level: .info, format: .text) { line in self.lines.withLock { $0.append(line) } },
                probe: { _ throws(ProbeError) in
                    self.looks.withLock { $0 += 1 }
                    return ProbeAnswer(status: 200, chain: try self.answer.withLock(\.self).get())
                }
            )
        }

        func turn(_ answer: Result<[Certificate], ProbeError>) { self.answer.withLock { $0 = answer } }

        /// Certificates that end so many days from now.
        func chain(_ days: Int64...) -> [Certificate] {
            days.map(certificate)
        }

        private func certificate(endingIn days: Int64) -> Certificate {
            Certificate(subject: "CN = own", issuer: "CN = CA", notAfter: clock.now + days * CertificateWatchTests.day)
        }

        func refusal(_ fault: TLSRefusal.Fault, _ days: Int64...) -> Result<[Certificate], ProbeError> {
            .failure(.refusedTLS(TLSRefusal(fault: fault, reason: "because", chain: days.map(certificate))))
        }

        var looked: Int { looks.withLock(\.self) }
        var log: [String] { lines.withLock(\.self) }
    }

    @Test func `a certificate that was seen is looked at twice a day`() {
        let one = Case(.success([]))
        one.turn(.success(one.chain(60)))
        let watch = one.watch()
        watch.lookIfDue()
        #expect(watch.end == one.clock.now + 60 * Self.day)
        one.clock.advance(by: 12 * 3_600 - 1)
        watch.lookIfDue()
        #expect(one.looked == 1)
        one.clock.advance(by: 1)
        watch.lookIfDue()
        #expect(one.looked == 2)
        #expect(one.log == [])
    }

    @Test func `where nobody answers it is tried again ten minutes later, and what is known stays`() {
        let one = Case(.failure(.cannotConnect("refused")))
        let watch = one.watch()
        watch.lookIfDue()
        #expect(watch.end == nil)
        one.clock.advance(by: 599)
        watch.lookIfDue()
        #expect(one.looked == 1)
        one.clock.advance(by: 1)
        one.turn(.success(one.chain(60)))
        watch.lookIfDue()
        let end = watch.end
        #expect(end != nil)
        one.clock.advance(by: 12 * 3_600)
        one.turn(.failure(.timedOut))
        watch.lookIfDue()
        #expect(watch.end == end)
        one.clock.advance(by: 600)
        watch.lookIfDue()
        #expect(one.looked == 4)
    }

    @Test func `what counts is the peer's own certificate, whatever lies behind it`() {
        let one = Case(.success([]))
        one.turn(.success(one.chain(60, 5)))
        let watch = one.watch()
        watch.lookIfDue()
        #expect(watch.end == one.clock.now + 60 * Self.day)
        #expect(one.log == [])
    }

    @Test(arguments: [(14, false), (13, true)])
    func `one that ends soon is warned of with the days that are left`(days: Int64, isWarned: Bool) {
        let one = Case(.success([]))
        one.turn(.success(one.chain(days)))
        one.watch().lookIfDue()
        #expect(one.log.count == (isWarned ? 1 : 0))
        #expect(one.log.allSatisfy { $0.contains("event=certificate_ends_soon days=13 remedy=") })
    }

    @Test func `one that has ended shows when, and is looked at again soon but warned of twice a day`() {
        let one = Case(.success([]))
        one.turn(one.refusal(.expired, -2, 900))
        let (watch, end) = (one.watch(), one.clock.now - 2 * Self.day)
        for _ in 0..<72 {
            watch.lookIfDue()
            #expect(watch.end == end)
            one.clock.advance(by: 600)
        }
        #expect(one.looked == 72)
        #expect(one.log.count == 1)
        #expect(one.log.first?.contains("event=certificate_ends_soon days=-2 ") == true)
        watch.lookIfDue()
        #expect(one.log.count == 2)
        one.clock.advance(by: 600)
        one.turn(.success(one.chain(90)))
        watch.lookIfDue()
        #expect(watch.end == one.clock.now + 90 * Self.day)
    }

    @Test(
        arguments: [
            (.wrongName, "get a certificate for push.example.org"), (.notTrusted, "fullchain.pem"),
            (.notYetValid, "clock"), (.expired, "certbot renew"),
        ] as [(TLSRefusal.Fault, String)]
    )
    func `one that is refused for anything but its own end says nothing of the end`(
        fault: TLSRefusal.Fault,
        remedy: String
    ) {
        let one = Case(.success([]))
        one.turn(.success(one.chain(60)))
        let watch = one.watch()
        watch.lookIfDue()
        one.clock.advance(by: 12 * 3_600)
        // One behind it has ended, where it is that.
        one.turn(one.refusal(fault, 200, -1))
        watch.lookIfDue()
        #expect(watch.end == nil)
        #expect(one.log.count == 1)
        #expect(one.log.first?.contains("event=certificate_refused cause=") == true)
        #expect(one.log.first?.contains(remedy) == true)
        one.clock.advance(by: 600)
        watch.lookIfDue()
        #expect(one.looked == 3)
        #expect(one.log.count == 1)
    }

    @Test func `without TLS there is nothing to look at`() {
        let one = Case(.success([]))
        one.watch("http://127.0.0.1:8080").lookIfDue()
        #expect(one.looked == 0)
    }

    @Test(arguments: [
        (-40, "ended 40 days ago"), (-1, "ended 1 day ago"), (0, "ends today"), (1, "ends in 1 day"),
        (13, "ends in 13 days"),
    ])
    func `an end is told from the one side and from the other`(days: Int, words: String) {
        #expect(CertificateEnd.words(days) == words)
    }
}
