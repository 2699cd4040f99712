/// The machine word of an error, as the relay answers it in `{"error":"<word>","message":"<what to do>"}`.
///
/// The words never change; the message beside one is for people and may. A later relay may answer words that are not
/// here, so that a client reads one with ``init(rawValue:)`` and goes by the status where there is none. The relay is
/// built with this same file.
public enum ErrorWord: String, Sendable, Hashable, Codable, CaseIterable {
    // Any route.

    /// 404: there is no such path or subscription; the app registers anew.
    case notFound = "not_found"
    /// 405: the path takes another method, which the field `Allow` names.
    case methodNotAllowed = "method_not_allowed"
    /// 503: the relay cannot use its database at the moment.
    case databaseUnavailable = "database_unavailable"
    /// 503: the newest backup is older than the operator wants it; `GET /healthz` alone answers it.
    case backupsOverdue = "backups_overdue"
    /// 503: too much waits for Apple, or the relay is stopping or out of threads.
    case overloaded
    /// 500: a fault of the relay.
    case internalFailure = "internal_failure"

    // The app's routes.

    /// 401: there is no subscribe token, or another one than the relay's.
    case unauthorized
    /// 400: the body is not the JSON of the route; the message names the member that is wrong.
    case malformedBody = "malformed_body"
    /// 429: there were as many registrations as the relay takes within an hour.
    case tooManyRegistrations = "too_many_registrations"
    /// 503: there are as many subscriptions as the relay takes; the app keeps what it has.
    case tooManySubscriptions = "too_many_subscriptions"

    // Messages to a subscription.

    /// 429: this subscription gets more messages than it may.
    case rateLimited = "rate_limited"
    /// 502: Apple refused the notification, or did not answer in time.
    case appleFailed = "apple_failed"
    /// 400: the decrypted message is no JSON object with a title or a body.
    case malformedMessage = "malformed_message"
    /// 415: the content coding is neither `aes128gcm` nor `aesgcm`.
    case unsupportedCoding = "unsupported_coding"
    /// 400: `TTL` is not a number of seconds, or comes twice (RFC 8030, section 5.2).
    case malformedTTL = "malformed_ttl"
    /// 400: `Urgency` is none of the four words, or comes twice (RFC 8030, section 5.3).
    case malformedUrgency = "malformed_urgency"
    /// 400: `Topic` is not 1 to 32 characters of base64url, or comes twice (RFC 8030, section 5.4).
    case malformedTopic = "malformed_topic"
    /// 400: `Encryption` does not carry what `aesgcm` needs, or stands beside `aes128gcm`.
    case malformedEncryption = "malformed_encryption"
    /// 400: `Crypto-Key` does not carry what `aesgcm` needs, or stands beside `aes128gcm`.
    case malformedCryptoKey = "malformed_crypto_key"

    // Bodies that do not decrypt (RFC 8188 and RFC 8291).

    /// 400: the body ends within its header.
    case shortHeader = "short_header"
    /// 400: the record size is below 18 octets.
    case recordSizeTooSmall = "rs_too_small"
    /// 400: the sender's key does not have 65 octets.
    case keyIDLength = "keyid_length"
    /// 400: the sender's key is not an uncompressed point.
    case keyIDNotUncompressed = "keyid_not_uncompressed"
    /// 400: the sender's key is not a point on P-256.
    case pointInvalid = "point_invalid"
    /// 400: the record is too short for a delimiter and a tag.
    case shortRecord = "short_record"
    /// 400: the message has more than one record.
    case multipleRecords = "multiple_records"
    /// 400: the message is encrypted for other keys, or damaged.
    case authenticationTag = "auth_tag"
    /// 400: the record does not say that it is the last one.
    case badDelimiter = "bad_delimiter"
    /// 400: the record is nothing but padding.
    case noDelimiter = "no_delimiter"
    /// 400: the padding of `aesgcm` is not what it says.
    case badPadding = "bad_padding"
    /// 503: the relay could not decrypt at the moment, whatever the message is.
    case cryptographyFailed = "cryptography_failed"

    // Senders that a subscription with a VAPID key does not take messages from (RFC 8292).

    /// 401: the message is not signed.
    case vapidMissing = "vapid_missing"
    /// 403: the signature's token cannot be read, or is not signed with ES256.
    case vapidMalformed = "vapid_malformed"
    /// 403: the message is signed with another key.
    case vapidOtherKey = "vapid_other_key"
    /// 403: the signature is not that of the key.
    case vapidBadSignature = "vapid_bad_signature"
    /// 403: the token is for another push service.
    case vapidOtherAudience = "vapid_other_audience"
    /// 403: the token has expired, or a clock is wrong.
    case vapidExpired = "vapid_expired"
    /// 403: the token is valid for more than 24 hours.
    case vapidTooLongLived = "vapid_too_long_lived"
    /// 400: the message is encrypted with the key that signs.
    case signingKeyReused = "signing_key_reused"

    // Requests that are not read to their end.

    /// 400: the request is not one of HTTP/1.1.
    case badRequest = "bad_request"
    /// 408: the request did not arrive in time.
    case requestTimeout = "request_timeout"
    /// 411: a request that has to have a body says no length.
    case lengthRequired = "length_required"
    /// 413: the body is longer than the route takes.
    case payloadTooLarge = "payload_too_large"
    /// 414: the request line is longer than 8 KB.
    case uriTooLong = "uri_too_long"
    /// 417: the request expects something else than `100-continue`.
    case expectationFailed = "expectation_failed"
    /// 431: the fields are too long or too many.
    case headerFieldsTooLarge = "header_fields_too_large"
    /// 501: the body comes in a transfer coding other than `chunked`.
    case notImplemented = "not_implemented"
    /// 503: the relay has too much to do, or did not find an answer in time.
    case serviceUnavailable = "service_unavailable"
    /// 505: another version of HTTP.
    case httpVersionNotSupported = "http_version_not_supported"
}
