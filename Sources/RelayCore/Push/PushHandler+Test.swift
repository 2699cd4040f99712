import APNs
import HTTPServer
import Store

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
    /// From the whole request to the decrypted message.
    package var decryptedMilliseconds: Double?
    /// From there to Apple's answer.
    package var appleMilliseconds: Double?

    private enum CodingKeys: String, CodingKey {
        case error, apple, remedy, environment
        case decryptedMilliseconds = "decrypted_ms"
        case appleMilliseconds = "apple_ms"
    }
}

extension PushHandler {
    /// Delivers a message that the relay has written itself, the way that every other goes, and tells of it.
    ///
    /// It counts against what the subscription may get, and is no unread message: the badge stays as it is. Who signed it
    /// is not looked at, since the endpoint that it came to is the operator's alone.
    func test(_ request: Request, _ id: SubscriptionID) async -> TestReport {
        var report = TestReport()
        do throws(RelayError) {
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
            report.remedy = delivery.outcome.cause?.remedy(now: clocks.now())
            report.environment = delivery.environment?.rawValue
            try await settle(delivery, nil, subscription)
        } catch {
            report.error = error.word
            if case .deviceGone = error {
                report.remedy = "the subscription is deleted: have the app opened on that phone, which registers anew"
            }
            if case .rateLimited(let wait) = error { report.remedy = "wait \(wait.seconds) s, and send again" }
        }
        return report
    }
}

extension Duration {
    /// With what is left of them behind the point.
    var milliseconds: Double { self / .milliseconds(1) }
}
