import APNs
import HTTPServer
import Store
import WebPush

/// Every reason why a request is not done, each with its one answer.
///
/// 404 for an endpoint makes Pixelfed forget it for good, so it stands for a row that is gone and for nothing else; the
/// relay's own faults and Apple's are 5xx, after which the sender comes again.
enum RelayError: Error {
    case unknownRoute
    case methodNotAllowed(allow: String)
    case unauthorized
    /// No row has this id.
    case subscriptionGone
    /// Apple said that the device token is dead, and the row has just been deleted.
    case deviceGone
    case unknownCoding
    /// The row takes messages from one sender alone, and this is another.
    case otherSender(SenderError)
    /// A field that is not what its grammar says, or comes twice.
    case malformedField(PushField)
    case undecryptable(MessageError)
    /// The message is encrypted with the very key that signs.
    case signingKeyReused
    case malformedMessage(String)
    case malformedBody(String)
    case rateLimited(RetryAfter)
    /// More was registered than may be at once, and spread over each hour, by whomever.
    case tooManyRegistrations(RetryAfter)
    /// There are as many subscriptions as there may be, and this would be one more.
    case tooManySubscriptions(StoreError)
    case database(StoreError)
    /// Scheduled backups are older than they may be.
    case backupsOverdue
    case overloaded
    case appleFailed
    /// What Apple refuses is the key, the topic or the environment, so it refuses every push.
    case appleRefusesConfiguration
    /// Apple disowns the device, and its row is kept because too many were deleted for that.
    case deletionRefused
    case internalFailure

    /// Runs work of the store, whose every failure is the same to a client.
    static func mapping<Value>(_ work: () async throws(StoreError) -> Value) async throws(RelayError) -> Value {
        do throws(StoreError) { return try await work() } catch { throw .database(error) }
    }

    private struct Answer {
        let status: Int
        let word: ErrorWord
        let message: String
        var fields: [(name: String, value: String)] = []
    }

    /// The answer to the client; the message says what to do and repeats nothing that is secret.
    var response: Response {
        let answer = answer
        return .problem(answer.status, answer.word.rawValue, answer.message, fields: answer.fields)
    }

    private var answer: Answer {
        switch self {
        // In the same words, so that nobody learns from them which ids ever existed.
        case .unknownRoute, .subscriptionGone, .deviceGone:
            Answer(status: 404, word: .notFound, message: "no such path or subscription: register anew")
        case .methodNotAllowed(let allow):
            Answer(
                status: 405,
                word: .methodNotAllowed,
                message: "use \(allow)",
                fields: [("Allow", allow)]
            )
        case .unauthorized:
            Answer(
                status: 401,
                word: .unauthorized,
                message: "send Authorization: Bearer and the subscribe token",
                fields: [("WWW-Authenticate", "Bearer")]
            )
        case .unknownCoding:
            Answer(
                status: 415,
                word: .unsupportedCoding,
                message: "encrypt with the content coding aes128gcm, or with aesgcm",
                fields: [("Accept-Encoding", "aes128gcm, aesgcm")]
            )
        case .otherSender(.missing):
            Answer(
                status: 401,
                word: ErrorWord(SenderError.missing),
                message: "this subscription takes messages from one sender alone: sign with its key (RFC 8292)",
                fields: [("WWW-Authenticate", "vapid")]
            )
        case .otherSender(let error):
            Answer(
                status: 403,
                word: ErrorWord(error),
                message: "this subscription takes messages from one sender alone: check key, audience and clock"
            )
        case .malformedField(let field):
            Answer(
                status: 400,
                word: ErrorWord(field),
                message: "send one \(field.rawValue), and as its RFC has it"
            )
        case .undecryptable(let error):
            undecryptable(error)
        case .signingKeyReused:
            Answer(
                status: 400,
                word: .signingKeyReused,
                message: "encrypt with a key of its own, not with the one that signs (RFC 8292, section 3.2)"
            )
        case .malformedMessage(let text):
            Answer(status: 400, word: .malformedMessage, message: "the decrypted message cannot be used: \(text)")
        case .malformedBody(let text):
            Answer(status: 400, word: .malformedBody, message: text)
        case .rateLimited(let wait):
            Answer(
                status: 429,
                word: .rateLimited,
                message: "this subscription gets too many messages: wait",
                fields: [("Retry-After", "\(wait.seconds)")]
            )
        case .tooManyRegistrations(let wait):
            Answer(
                status: 429,
                word: .tooManyRegistrations,
                message: "the relay has taken many registrations within the last hour: wait, and register again",
                fields: [("Retry-After", "\(wait.seconds)")]
            )
        // Not the client's fault, and nothing that it can mend: it keeps what it has and asks again after an hour.
        case .tooManySubscriptions:
            Answer(
                status: 503,
                word: .tooManySubscriptions,
                message: "the relay has no room for another subscription: register again later",
                fields: [("Retry-After", "3600")]
            )
        case .database:
            Self.unavailable(.databaseUnavailable, "the relay cannot use its database at the moment: try again")
        case .backupsOverdue:
            Self.unavailable(.backupsOverdue, "the newest backup is older than twice BACKUP_INTERVAL: see the log")
        case .overloaded:
            Self.unavailable(
                .overloaded,
                "too much waits for Apple, or the relay is stopping or out of threads: try again"
            )
        case .appleFailed, .appleRefusesConfiguration, .deletionRefused:
            Answer(status: 502, word: .appleFailed, message: "Apple did not take the notification: try again")
        case .internalFailure:
            Answer(status: 500, word: .internalFailure, message: "the relay failed: try again")
        }
    }

    private func undecryptable(_ error: MessageError) -> Answer {
        switch error {
        case .cryptographyFailed:
            Self.unavailable(.cryptographyFailed, "the relay can neither decrypt nor encrypt at the moment: try again")
        case .multipleRecords:
            Answer(status: 400, word: ErrorWord(error), message: "a message is one record: send a shorter one")
        case .badDelimiter:
            Answer(status: 400, word: ErrorWord(error), message: "the record is not a last one: the message was cut")
        case .authenticationTag:
            Answer(status: 400, word: ErrorWord(error), message: "the message is encrypted for other keys, or damaged")
        case .shortHeader, .recordSizeTooSmall, .keyIDLength, .keyIDNotUncompressed, .pointInvalid, .shortRecord,
            .noDelimiter, .badPadding:
            Answer(status: 400, word: ErrorWord(error), message: "the body is not a message of RFC 8291")
        }
    }

    private static func unavailable(_ word: ErrorWord, _ message: String) -> Answer {
        Answer(status: 503, word: word, message: message, fields: [("Retry-After", "10")])
    }

    /// How loud the log says it; what a client alone got wrong is no concern of the operator's.
    var level: Log.Level {
        switch self {
        case .unknownRoute, .methodNotAllowed, .unauthorized: .debug
        case .subscriptionGone, .deviceGone, .unknownCoding, .otherSender, .malformedField, .signingKeyReused,
            .malformedMessage, .malformedBody, .rateLimited:
            .info
        case .undecryptable(.cryptographyFailed), .database, .backupsOverdue, .tooManySubscriptions, .internalFailure:
            .error
        case .tooManyRegistrations: .warning
        case .undecryptable: .info
        // The log of deliveries has said it with its cause and remedy, once a minute.
        case .overloaded, .appleFailed, .appleRefusesConfiguration, .deletionRefused: .info
        }
    }

    /// The cause for the log, where the word of the answer does not say it.
    var detail: String? {
        switch self {
        case .database(let error), .tooManySubscriptions(let error): "\(error)"
        case .tooManyRegistrations:
            "wait, or raise MAX_REGISTRATIONS_PER_HOUR; if they are not your devices', change SUBSCRIBE_TOKEN"
        case .malformedMessage(let text), .malformedBody(let text): text
        case .unknownRoute, .methodNotAllowed, .unauthorized, .subscriptionGone, .deviceGone, .unknownCoding,
            .otherSender, .signingKeyReused, .malformedField, .undecryptable, .rateLimited, .backupsOverdue,
            .overloaded, .appleFailed, .appleRefusesConfiguration, .deletionRefused, .internalFailure:
            nil
        }
    }

    /// The machine word of the answer, which the log repeats.
    var word: ErrorWord { answer.word }
}
