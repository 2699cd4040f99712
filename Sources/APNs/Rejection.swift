/// An answer of Apple's other than 200 (Apple, "Handling notification responses from APNs").
package struct Rejection: Sendable, Equatable {
    package let status: Int
    /// Apple's word as it came, for the log; empty when there was none, or none that looks like one of Apple's.
    package let word: String
    /// With 410: when Apple learned that the token is no longer valid, in milliseconds since 1970.
    package let timestamp: Int64?
    /// Apple's clock when it answered, in seconds since 1970.
    package let date: Int64?

    /// Apple's word where it is one that is known here and belongs to the status.
    package var reason: Reason? {
        Reason(rawValue: word).flatMap { $0.status == status ? $0 : nil }
    }

    package init(status: Int, word: String, timestamp: Int64? = nil, date: Int64? = nil) {
        self.status = status
        let isWord = word.utf8.count <= 64 && word.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7a }
        self.word = isWord ? word : ""
        self.timestamp = timestamp
        self.date = date
    }

    /// What Apple can say about one notification.
    package enum Reason: String, Sendable, CaseIterable {
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
        case badPath = "BadPath"
        case methodNotAllowed = "MethodNotAllowed"
        case expiredToken = "ExpiredToken"
        case unregistered = "Unregistered"
        case payloadTooLarge = "PayloadTooLarge"
        case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
        case tooManyRequests = "TooManyRequests"
        case internalServerError = "InternalServerError"
        case serviceUnavailable = "ServiceUnavailable"
        case shutdown = "Shutdown"

        /// The status that Apple says it under; under another it counts as a word that is not known.
        package var status: Int {
            switch self {
            case .badCollapseId, .badDeviceToken, .badExpirationDate, .badMessageId, .badPriority, .badTopic,
                .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken,
                .missingTopic, .payloadEmpty, .topicDisallowed:
                400
            case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIdInToken, .badEnvironmentKeyInToken,
                .expiredProviderToken, .forbidden, .invalidProviderToken, .missingProviderToken, .unrelatedKeyIdInToken:
                403
            case .badPath: 404
            case .methodNotAllowed: 405
            case .expiredToken, .unregistered: 410
            case .payloadTooLarge: 413
            case .tooManyProviderTokenUpdates, .tooManyRequests: 429
            case .internalServerError: 500
            case .serviceUnavailable, .shutdown: 503
            }
        }
    }
}
