import WebPush

extension ErrorWord {
    /// The word for a field of a push that cannot be read.
    init(_ field: PushField) {
        switch field {
        case .timeToLive: self = .malformedTTL
        case .urgency: self = .malformedUrgency
        case .topic: self = .malformedTopic
        case .encryption: self = .malformedEncryption
        case .cryptoKey: self = .malformedCryptoKey
        }
    }

    /// The word for a body that is not a message for its subscription.
    init(_ error: MessageError) {
        switch error {
        case .shortHeader: self = .shortHeader
        case .recordSizeTooSmall: self = .recordSizeTooSmall
        case .keyIDLength: self = .keyIDLength
        case .keyIDNotUncompressed: self = .keyIDNotUncompressed
        case .pointInvalid: self = .pointInvalid
        case .shortRecord: self = .shortRecord
        case .multipleRecords: self = .multipleRecords
        case .authenticationTag: self = .authenticationTag
        case .badDelimiter: self = .badDelimiter
        case .noDelimiter: self = .noDelimiter
        case .badPadding: self = .badPadding
        case .cryptographyFailed: self = .cryptographyFailed
        }
    }

    /// The word for a sender that a subscription takes nothing from.
    init(_ error: SenderError) {
        switch error {
        case .missing: self = .vapidMissing
        case .malformed: self = .vapidMalformed
        case .otherKey: self = .vapidOtherKey
        case .badSignature: self = .vapidBadSignature
        case .otherAudience: self = .vapidOtherAudience
        case .expired: self = .vapidExpired
        case .tooLongLived: self = .vapidTooLongLived
        }
    }
}
