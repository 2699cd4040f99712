/// What an answer of Apple's means for the connection that it came over.
package enum ConnectionEffect: Sendable, Equatable {
    /// Nothing: it can go on.
    case keep
    /// Only a new connection helps: Apple has ended this one, or answers everything on it alike from now on.
    case replace
    /// A new connection, with a new provider token if the present one may be replaced.
    case replaceWithNewToken
    /// Nothing the first time; replaced when nothing else comes of it.
    case suspect

    /// The effect of an answer other than 200.
    ///
    /// Connections that answered with these reasons were seen to stay unusable for good ("wedged").
    package init(_ rejection: Rejection) {
        guard let reason = rejection.reason else {
            self = rejection.status >= 500 ? .suspect : .keep
            return
        }
        switch reason {
        case .expiredProviderToken:
            self = .replaceWithNewToken
        case .unrelatedKeyIdInToken, .tooManyProviderTokenUpdates, .idleTimeout, .shutdown:
            self = .replace
        case .internalServerError:
            self = .suspect
        case .badCollapseId, .badDeviceToken, .badExpirationDate, .badMessageId, .badPriority, .badTopic,
            .deviceTokenNotForTopic, .duplicateHeaders, .invalidPushType, .missingDeviceToken, .missingTopic,
            .payloadEmpty, .topicDisallowed, .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIdInToken,
            .badEnvironmentKeyInToken, .forbidden, .invalidProviderToken, .missingProviderToken, .badPath,
            .methodNotAllowed, .expiredToken, .unregistered, .payloadTooLarge, .tooManyRequests, .serviceUnavailable:
            self = .keep
        }
    }

    /// Whether the same notification may go to the connection that takes this one's place.
    package var allowsRetry: Bool {
        switch self {
        case .keep, .suspect: false
        case .replace, .replaceWithNewToken: true
        }
    }
}
