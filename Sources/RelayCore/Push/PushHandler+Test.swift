import APNs
import Crypto
import HTTPServer
import Store
import WebPush

/// What became of a test alert, and how long each part of the way inside took.
package struct TestReport: Codable, Sendable {
    /// What went wrong; nil when Apple accepted it.
    package var error: ErrorWord?
    /// Apple's word, or what kept the relay from asking; nil where Apple was not asked.
    package var apple: String?
    /// What to do about it; nil where there is nothing to do, or nothing known.
    package var remedy: String?
    /// `production` or `sandbox`; nil where one service stands in for both.
    package var environment: String?
    /// From the app's request to the encrypted message; nil where the operator's command encrypted it.
    package var encryptedMilliseconds: Double?
    /// From the whole request that carries it to the decrypted message.
    package var decryptedMilliseconds: Double?
    /// From there to Apple's answer.
    package var appleMilliseconds: Double?
    /// From the app's request until all is noted; nil where the operator's command measures it from outside.
    package var totalMilliseconds: Double?

    private enum CodingKeys: String, CodingKey {
        case error, apple, remedy, environment
        case encryptedMilliseconds = "encrypted_ms"
        case decryptedMilliseconds = "decrypted_ms"
        case appleMilliseconds = "apple_ms"
        case totalMilliseconds = "total_ms"
    }

    fileprivate mutating func note(_ failure: RelayError) {
        error = failure.word
        if case .deviceGone = failure {
            remedy = "the subscription is deleted: have the app opened on that phone, which registers anew"
        }
        if case .rateLimited(let wait) = failure { remedy = "wait \(wait.seconds) s, and send again" }
    }
}

extension PushHandler {
    /// Sends a test alert for the app: what an instance would post to the endpoint is made and handled here.
    ///
    /// - Parameter name: the id as it stands in the path.
    /// - Throws: why it was not tried; what Apple made of it is in the report.
    func test(_ name: [UInt8]) async throws(RelayError) -> TestReport {
        let began = clocks.uptime()
        let id = SubscriptionID(hashing: name)
        let subscription = try await subscription(id)
        try refuseWithoutRoom(id)
        let request: Request
        do throws(CryptoError) {
            request = try TestAlert.request(to: name, of: subscription)
        } catch {
            throw .undecryptable(.cryptographyFailed)
        }
        let encrypted = clocks.uptime()
        var report = try await deliverTest(request, to: id)
        report.encryptedMilliseconds = (encrypted - began).milliseconds
        report.totalMilliseconds = (clocks.uptime() - began).milliseconds
        return report
    }

    /// Delivers the test alert of the operator's command, which came in from outside, and tells of it whatever happens.
    func test(_ request: Request, _ id: SubscriptionID) async -> TestReport {
        do throws(RelayError) {
            return try await deliverTest(request, to: id)
        } catch {
            var report = TestReport()
            report.note(error)
            return report
        }
    }

    /// Delivers a message that the relay has written itself, the way that every other goes, and tells of it.
    ///
    /// It counts against what the subscription may get, and is no unread message: the badge stays as it is. Who signed it
    /// is not looked at, since nobody but the relay can have brought it here.
    ///
    /// - Throws: why Apple was not asked.
    private func deliverTest(_ request: Request, to id: SubscriptionID) async throws(RelayError) -> TestReport {
        var report = TestReport()
        let arrived = clocks.uptime()
        let headers = try PushHeaders(request.head.fields)
        let subscription = try await subscription(id)
        let message = try message(admit(request.body, headers, subscription))
        let opened = clocks.uptime()
        report.decryptedMilliseconds = (opened - arrived).milliseconds
        let notification = try notification(message, for: subscription, badge: nil, headers: headers)
        let delivery = await apple.deliver(notification, to: subscription)
        report.appleMilliseconds = (clocks.uptime() - opened).milliseconds
        report.apple = delivery.outcome.cause.map(\.description) ?? "accepted"
        report.environment = delivery.environment?.rawValue
        let consequence = Consequence(
            of: delivery.outcome,
            registeredAt: subscription.createdAt,
            now: clocks.now()
        )
        report.remedy = consequence.line.remedy
        do throws(RelayError) {
            try await settle(delivery, nil, subscription)
        } catch {
            report.note(error)
            if case .deletionRefused = error { report.remedy = consequence.guardedLine.remedy }
        }
        return report
    }
}

extension Duration {
    /// With three digits behind the point.
    var milliseconds: Double { (self / .microseconds(1)).rounded() / 1_000 }
}
