import APNs

extension Outcome.Cause {
    /// What the operator can do about it, as the end of a log line.
    func remedy(now: Int64) -> String {
        switch self {
        case .rejection(let rejection): remedy(rejection, now: now)
        case .transport(.notHTTP2):
            "check APNS_URL, and whether a proxy or a firewall answers in Apple's place"
        case .transport(.unsigned): "check the file of APNS_KEY_FILE, and restart"
        case .transport(.tooManyConnections):
            "wait up to ten minutes, and look for what ends each connection to Apple: a firewall, a proxy, its NAT"
        case .transport(.deadline), .transport(.failed):
            "check that this machine reaches Apple on port 443, its DNS and its clock; the sender tries again"
        case .overloaded: "wait: Apple is slow, or more comes in than it takes"
        case .noThread: "raise TasksMax or the limit of processes, or end what uses them up; the sender tries again"
        case .stopping: "nothing: the sender tries again"
        }
    }

    private func remedy(_ rejection: Rejection, now: Int64) -> String {
        guard let reason = rejection.reason else {
            return "look the word up at Apple; no subscription is lost by it"
        }
        switch reason {
        case .expiredProviderToken:
            return clockRemedy(rejection, now: now)
        case .invalidProviderToken, .missingProviderToken, .badCertificate, .forbidden:
            let remedy =
                "check that APNS_KEY_FILE, APNS_KEY_ID and APNS_TEAM_ID belong together and that the key is valid"
            return clockDifference(rejection, now: now).map { "\(remedy); \($0)" } ?? remedy
        case .badEnvironmentKeyIdInToken, .badEnvironmentKeyInToken, .badCertificateEnvironment:
            return "the key is for Apple's other environment: check APNS_ENVIRONMENT, or use a key for both"
        case .unrelatedKeyIdInToken:
            return "the key was changed while the relay ran: restart it"
        case .topicDisallowed, .badTopic, .missingTopic, .deviceTokenNotForTopic:
            return "check that APNS_TOPIC is the app's bundle id and that the key may be used for it"
        case .badDeviceToken:
            return "check APNS_ENVIRONMENT if it is so for every device"
        case .tooManyProviderTokenUpdates:
            return "does another program use this key, or was the relay restarted often? it passes within an hour"
        case .tooManyRequests:
            return "too many notifications for one device: it passes by itself"
        case .internalServerError, .serviceUnavailable, .shutdown, .idleTimeout:
            return "Apple has trouble: see https://developer.apple.com/system-status; the sender tries again"
        case .unregistered, .expiredToken:
            return "nothing: the app was removed from the device"
        case .badCollapseId, .badExpirationDate, .badMessageId, .badPriority, .duplicateHeaders, .invalidPushType,
            .missingDeviceToken, .payloadEmpty, .badPath, .methodNotAllowed, .payloadTooLarge:
            return "this is a fault of the relay: report it with this line"
        }
    }

    /// A token that was made less than an hour ago is expired by one of two clocks only.
    private func clockRemedy(_ rejection: Rejection, now: Int64) -> String {
        clockDifference(rejection, now: now) ?? "is this machine's clock wrong? see timedatectl"
    }

    /// How far this machine's clock is from Apple's, when that is more than a request can take.
    private func clockDifference(_ rejection: Rejection, now: Int64) -> String? {
        guard let date = rejection.date else { return nil }
        let (ahead, hasOverflowed) = now.subtractingReportingOverflow(date)
        guard !hasOverflowed, ahead.magnitude > 60 else { return nil }
        return "this machine's clock is \(ahead.magnitude) s \(ahead > 0 ? "ahead of" : "behind") Apple's: set it, see "
            + "timedatectl"
    }
}
