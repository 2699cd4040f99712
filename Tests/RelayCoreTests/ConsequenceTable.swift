import APNs
import Testing

@testable import RelayCore

/// One answer of Apple's, and everything that follows from it.
struct Expectation: Sendable, CustomTestStringConvertible {
    enum Class {
        case deviceGone, misconfigured, tryAgain
    }

    let status: Int
    let word: String
    let outcome: Class
    let row: Consequence.Row
    /// The status of the sender's answer, and its machine word.
    let answer: (status: Int, word: String)
    let level: Log.Level
    let event: String
    let effect: ConnectionEffect
    /// A part of the remedy; nil where there is nothing to be done.
    let remedy: String?

    var testDescription: String { "\(status) \(word)" }

    private static func deviceGone(_ status: Int, _ word: String, _ row: Consequence.Row) -> Expectation {
        Expectation(
            status: status,
            word: word,
            outcome: .deviceGone,
            row: row,
            answer: (404, "not_found"),
            // A token that Apple does not know at all may be the fault of the configuration.
            level: status == 410 ? .info : .warning,
            event: "device_gone",
            effect: .keep,
            remedy: nil
        )
    }

    private static func misconfigured(
        _ status: Int,
        _ word: String,
        _ effect: ConnectionEffect,
        _ remedy: String
    ) -> Expectation {
        Expectation(
            status: status,
            word: word,
            outcome: .misconfigured,
            row: .kept,
            answer: (502, "apple_failed"),
            level: .error,
            event: "apple_refuses_configuration",
            effect: effect,
            remedy: remedy
        )
    }

    private static func tryAgain(
        _ status: Int,
        _ word: String,
        _ effect: ConnectionEffect,
        _ remedy: String
    ) -> Expectation {
        Expectation(
            status: status,
            word: word,
            outcome: .tryAgain,
            row: .kept,
            answer: (502, "apple_failed"),
            level: .warning,
            event: "push_failed",
            effect: effect,
            remedy: remedy
        )
    }

    /// Every pair of Apple's page "Handling notification responses from APNs", and the one spelling seen beside it.
    static let documented = [
        tryAgain(400, "BadCollapseId", .keep, "fault of the relay"),
        deviceGone(400, "BadDeviceToken", .deletedUnlessGuarded),
        tryAgain(400, "BadExpirationDate", .keep, "fault of the relay"),
        tryAgain(400, "BadMessageId", .keep, "fault of the relay"),
        tryAgain(400, "BadPriority", .keep, "fault of the relay"),
        misconfigured(400, "BadTopic", .keep, "APNS_TOPIC"),
        deviceGone(400, "DeviceTokenNotForTopic", .deletedUnlessGuarded),
        tryAgain(400, "DuplicateHeaders", .keep, "fault of the relay"),
        tryAgain(400, "IdleTimeout", .replace, "system-status"),
        tryAgain(400, "InvalidPushType", .keep, "fault of the relay"),
        tryAgain(400, "MissingDeviceToken", .keep, "fault of the relay"),
        misconfigured(400, "MissingTopic", .keep, "APNS_TOPIC"),
        tryAgain(400, "PayloadEmpty", .keep, "fault of the relay"),
        misconfigured(400, "TopicDisallowed", .keep, "APNS_TOPIC"),
        misconfigured(403, "BadCertificate", .keep, "APNS_KEY_FILE"),
        misconfigured(403, "BadCertificateEnvironment", .keep, "APNS_ENVIRONMENT"),
        misconfigured(403, "BadEnvironmentKeyIdInToken", .keep, "APNS_ENVIRONMENT"),
        misconfigured(403, "BadEnvironmentKeyInToken", .keep, "APNS_ENVIRONMENT"),
        misconfigured(403, "ExpiredProviderToken", .replaceWithNewToken, "timedatectl"),
        misconfigured(403, "Forbidden", .keep, "APNS_KEY_FILE"),
        misconfigured(403, "InvalidProviderToken", .keep, "APNS_KEY_ID and APNS_TEAM_ID"),
        misconfigured(403, "MissingProviderToken", .keep, "APNS_KEY_FILE"),
        misconfigured(403, "UnrelatedKeyIdInToken", .replace, "restart"),
        tryAgain(404, "BadPath", .keep, "fault of the relay"),
        tryAgain(405, "MethodNotAllowed", .keep, "fault of the relay"),
        deviceGone(410, "ExpiredToken", .deleted),
        deviceGone(410, "Unregistered", .deleted),
        tryAgain(413, "PayloadTooLarge", .keep, "fault of the relay"),
        tryAgain(429, "TooManyProviderTokenUpdates", .replace, "another program"),
        tryAgain(429, "TooManyRequests", .keep, "passes by itself"),
        tryAgain(500, "InternalServerError", .suspect, "system-status"),
        tryAgain(503, "ServiceUnavailable", .keep, "system-status"),
        tryAgain(503, "Shutdown", .replace, "system-status"),
    ]

    /// What follows from a status alone, whatever word comes with it that Apple does not document for it.
    static let unknown = ["SomethingNew", ""].flatMap { word in
        [
            tryAgain(301, word, .keep, "look the word up"),
            tryAgain(400, word, .keep, "look the word up"),
            misconfigured(403, word, .keep, "look the word up"),
            tryAgain(404, word, .keep, "look the word up"),
            tryAgain(405, word, .keep, "look the word up"),
            deviceGone(410, word, .deleted),
            tryAgain(413, word, .keep, "look the word up"),
            tryAgain(418, word, .keep, "look the word up"),
            tryAgain(429, word, .keep, "look the word up"),
            tryAgain(500, word, .suspect, "look the word up"),
            tryAgain(502, word, .suspect, "look the word up"),
            tryAgain(503, word, .suspect, "look the word up"),
        ]
    }
}
