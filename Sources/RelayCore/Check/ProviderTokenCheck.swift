package import APNs
import Crypto

extension CheckLine {
    /// What Apple says to a notification for a device that cannot exist.
    ///
    /// It looks at who asks before it looks for the device: `BadDeviceToken` means that key, team and topic are in
    /// order.
    static func providerToken(_ outcome: Outcome, environment: String, now: Int64) -> CheckLine {
        let name = "provider token"
        switch outcome {
        case .accepted:
            let text = "\(environment) accepts a notification for a device that cannot exist"
            let remedy = "see what answers in Apple's place: check APNS_URL"
            return CheckLine(name, .failed, text, remedy: remedy)
        case .deviceGone(let rejection) where rejection.reason == .badDeviceToken:
            return CheckLine(name, .ok, "\(environment) takes key, team and topic")
        case .deviceGone(let rejection):
            let cause = Outcome.Cause.rejection(rejection)
            return CheckLine(name, .failed, "\(environment) says \(cause)", remedy: remedy(cause, now))
        case .misconfigured(.rejection(let rejection)):
            let cause = Outcome.Cause.rejection(rejection)
            return CheckLine(name, .failed, "\(environment) refuses: \(cause)", remedy: remedy(cause, now))
        case .tryAgain(.rejection(let rejection)):
            // Nothing is known yet about key, team and topic.
            let cause = Outcome.Cause.rejection(rejection)
            return CheckLine(name, .warning, "\(environment) says \(cause)", remedy: remedy(cause, now))
        case .misconfigured(let cause), .tryAgain(let cause):
            return CheckLine(name, .failed, "\(environment): \(cause)", remedy: remedy(cause, now))
        }
    }

    /// As the log has it, but for the sender, of which there is none.
    private static func remedy(_ cause: Outcome.Cause, _ now: Int64) -> String {
        cause.remedy(now: now).replacing("; the sender tries again", with: "")
    }
}

extension Notification {
    /// For a device that there cannot be, so that no phone is ever disturbed.
    package static func forNobody() throws -> Notification? {
        guard let token = DeviceToken(parsing: String(repeating: "0", count: 64).utf8) else { return nil }
        return Notification(
            deviceToken: token,
            id: try Random.uuid(),
            payload: Payload(title: "relay check", body: "for nobody").encoded(),
            expiration: 0
        )
    }
}
