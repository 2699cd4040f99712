import APNs
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite("What follows from Apple's word") struct ConsequenceTests {
    private let registeredAt: Int64 = 1_800_000_000

    private func consequence(_ outcome: Outcome) -> Consequence {
        Consequence(of: outcome, registeredAt: registeredAt, now: registeredAt + 100)
    }

    private func check(_ rejection: Rejection, _ expected: Expectation) {
        let outcome = Outcome(rejection)
        switch expected.outcome {
        case .deviceGone: #expect(outcome == .deviceGone(rejection))
        case .misconfigured: #expect(outcome == .misconfigured(.rejection(rejection)))
        case .tryAgain: #expect(outcome == .tryAgain(.rejection(rejection)))
        }
        let consequence = consequence(outcome)
        #expect(consequence.row == expected.row)
        #expect(consequence.badge == .takenBack)
        #expect(consequence.answer?.response.status == expected.answer.status)
        #expect(consequence.answer?.response.errorWord == expected.answer.word)
        #expect(consequence.line.level == expected.level)
        #expect(consequence.line.event == expected.event)
        let cause = rejection.word.isEmpty ? "status \(rejection.status)" : "\(rejection.status) \(rejection.word)"
        #expect(consequence.line.cause == cause)
        if let remedy = expected.remedy {
            #expect(consequence.line.remedy?.contains(remedy) == true)
        } else {
            #expect(consequence.line.remedy == nil)
        }
        #expect(ConnectionEffect(rejection) == expected.effect)
    }

    @Test func `an accepted push is counted, answered 201 and keeps its row`() {
        let consequence = consequence(.accepted)
        #expect(consequence.row == .kept)
        #expect(consequence.badge == .counted)
        #expect(consequence.answer == nil)
        #expect(consequence.line == LogLine(level: .info, event: "push_accepted"))
    }

    @Test(arguments: Expectation.documented)
    func `each pair that Apple documents has its class, row, badge, answer, line and effect`(expected: Expectation) {
        check(Rejection(status: expected.status, word: expected.word), expected)
    }

    @Test(arguments: Expectation.unknown)
    func `a word that nobody knows, or none, leaves it to the status`(expected: Expectation) {
        check(Rejection(status: expected.status, word: expected.word), expected)
    }

    @Test(arguments: Expectation.unknown.filter(\.word.isEmpty))
    func `a word under a status that it does not belong to is one that nobody knows`(expected: Expectation) {
        for reason in Expectation.documented where reason.status != expected.status {
            check(Rejection(status: expected.status, word: reason.word), expected)
        }
    }

    @Test(arguments: ["baddevicetoken", "BADDEVICETOKEN", "BadDeviceTokens", "BadDeviceToke", "Unregistered"])
    func `no row is deleted for a word that only resembles one`(word: String) {
        let consequence = consequence(Outcome(Rejection(status: 400, word: word)))
        #expect(consequence.row == .kept)
        #expect(consequence.answer?.response.status == 502)
    }

    @Test func `the table holds every reason once, under its status`() {
        let known = Rejection.Reason.allCases.map { "\($0.status) \($0.rawValue)" }
        #expect(Expectation.documented.map(\.testDescription).sorted() == known.sorted())
    }

    @Test(
        arguments: [
            (1_799_999_999_999, true), (1_799_999_999, true), (1_800_000_100, true), (0, true), (-1, true),
            (Int64.min, true), (1_800_000_000_000, false), (1_800_000_000_001, false), (Int64.max, false),
            (nil, false),
        ] as [(Int64?, Bool)]
    )
    func `a 410 about the time before the registration keeps the row; the time is in milliseconds`(
        timestamp: Int64?,
        isKept: Bool
    ) {
        for word in ["Unregistered", "ExpiredToken", "SomethingNew", ""] {
            let consequence = consequence(Outcome(Rejection(status: 410, word: word, timestamp: timestamp)))
            #expect(consequence.row == (isKept ? .kept : .deleted))
            #expect(consequence.badge == .takenBack)
            #expect(consequence.answer?.response.status == (isKept ? 502 : 404))
            #expect(consequence.line.event == (isKept ? "device_gone_before" : "device_gone"))
            #expect((consequence.line.remedy == nil) != isKept)
        }
    }

    @Test(arguments: [
        (Outcome.Cause.transport(.failed(code: 7, text: "Couldn't connect to server")), 502, "port 443"),
        (.transport(.failed(code: 18, text: "Transferred a partial file")), 502, "port 443"),
        (.transport(.deadline(waiting: true)), 502, "port 443"),
        (.transport(.deadline(waiting: false)), 502, "port 443"),
        (.transport(.unsigned), 502, "APNS_KEY_FILE"),
        (.overloaded, 503, "wait"), (.noThread, 503, "raise TasksMax"),
        (.stopping, 503, "nothing"),
    ])
    func `without an answer the row is kept, the badge taken back and the sender told to come again`(
        cause: Outcome.Cause,
        status: Int,
        remedy: String
    ) {
        let consequence = consequence(.tryAgain(cause))
        #expect(consequence.row == .kept)
        #expect(consequence.badge == .takenBack)
        let response = consequence.answer?.response
        #expect(response?.status == status)
        #expect(response?.value("Retry-After") == (status == 503 ? "10" : nil))
        #expect(consequence.line.level == .warning)
        #expect(consequence.line.event == "push_failed")
        #expect(consequence.line.cause?.isEmpty == false)
        #expect(consequence.line.remedy?.contains(remedy) == true)
    }

    @Test(arguments: [
        (TransportFailure.notHTTP2, "proxy"),
        (.failed(code: 60, text: "SSL peer certificate or SSH remote key was not OK"), "clock"),
    ])
    func `what sits in Apple's place is the operator's to mend, and costs nobody the subscription`(
        failure: TransportFailure,
        remedy: String
    ) {
        let consequence = consequence(.misconfigured(.transport(failure)))
        #expect(consequence.row == .kept)
        #expect(consequence.badge == .takenBack)
        #expect(consequence.answer?.response.status == 502)
        #expect(consequence.line.level == .error)
        #expect(consequence.line.event == "apple_refuses_configuration")
        #expect(consequence.line.remedy?.contains(remedy) == true)
    }

    @Test(arguments: Expectation.documented + Expectation.unknown.filter { $0.word == "SomethingNew" })
    func `so it is from the sender to Apple and back`(expected: Expectation) async throws {
        let relay = try await TestRelay()
        let subscription = try await relay.subscribe()
        try await relay.apple.perform("answer \(subscription.deviceToken) \(expected.status) \(expected.word)")
        let response = try await relay.push(to: subscription)
        #expect(response.status == expected.answer.status)
        #expect(response.errorWord == expected.answer.word)
        let row = try await relay.row(of: subscription)
        #expect((row == nil) == (expected.row != .kept))
        if let row { #expect(row.badgeCount == 0) }
        let line = try #require(relay.logLines(of: expected.event).first)
        #expect(line.contains("level=\(expected.level.rawValue) "))
        #expect(line.contains(#"cause="\#(expected.status) \#(expected.word)""#))
        #expect(line.contains("remedy=") == (expected.remedy != nil))
        if let remedy = expected.remedy { #expect(line.contains(remedy)) }
    }
}
