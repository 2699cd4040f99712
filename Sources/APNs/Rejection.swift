/// An answer of Apple's other than 200 (Apple, "Handling notification responses from APNs").
package struct Rejection: Sendable, Equatable {
    package let status: Int
    /// Apple's word as it came, for the log; empty when there was none, or none that looks like one of Apple's.
    package let word: String
    /// With 410: when Apple learned that the token is no longer valid, in milliseconds since 1970.
    package let timestamp: Int64?

    /// Apple's word where it is one that is known here.
    package var reason: Reason? { Reason(rawValue: word) }

    package init(status: Int, word: String, timestamp: Int64? = nil) {
        self.status = status
        let isWord = word.utf8.count <= 64 && word.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7a }
        self.word = isWord ? word : ""
        self.timestamp = timestamp
    }

    /// What Apple can say about one notification, with the status that it says it under.
    package enum Reason: String, Sendable, CaseIterable {
        // 400
        case badCollapseId = "BadCollapseId"
        case badDeviceToken = "BadDeviceToken"
        case badExpirationDate = "BadExpirationDate"
        case badMessageId = "BadMessageId"
        case badPriority = "BadPriority"
        case badTopic = "BadTopic"
        case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
        case duplicateHeaders = "DuplicateHeaders"
        case idleTimeout = "IdleTimeout"
        case invalidPushType = "InvalidPushType"
        case missingDeviceToken = "MissingDeviceToken"
        case missingTopic = "MissingTopic"
        case payloadEmpty = "PayloadEmpty"
        case topicDisallowed = "TopicDisallowed"
        // 403
        case badCertificate = "BadCertificate"
        case badCertificateEnvironment = "BadCertificateEnvironment"
        /// As documented.
        case badEnvironmentKeyIdInToken = "BadEnvironmentKeyIdInToken"
        /// As observed.
        case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
        case expiredProviderToken = "ExpiredProviderToken"
        case forbidden = "Forbidden"
        case invalidProviderToken = "InvalidProviderToken"
        case missingProviderToken = "MissingProviderToken"
        case unrelatedKeyIdInToken = "UnrelatedKeyIdInToken"
        // 404 and 405
        case badPath = "BadPath"
        case methodNotAllowed = "MethodNotAllowed"
        // 410
        case expiredToken = "ExpiredToken"
        case unregistered = "Unregistered"
        // 413 and 429
        case payloadTooLarge = "PayloadTooLarge"
        case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
        case tooManyRequests = "TooManyRequests"
        // 500 and 503
        case internalServerError = "InternalServerError"
        case serviceUnavailable = "ServiceUnavailable"
        case shutdown = "Shutdown"
    }
}
