import Crypto

/// Why a body is not a message for this subscription; the raw value names it as the test vectors do.
package enum MessageError: String, Error, CaseIterable {
    /// The body ends within the header of RFC 8188, section 2.1, or within the key it announces.
    case shortHeader = "short_header"
    /// A record size below 18, which RFC 8188, section 2.1 declares invalid.
    case recordSizeTooSmall = "rs_too_small"
    /// A keyid that is not the 65 octets of an uncompressed point (RFC 8291, section 4).
    case keyIDLength = "keyid_length"
    /// A keyid whose first octet is not 0x04.
    case keyIDNotUncompressed = "keyid_not_uncompressed"
    /// A keyid that is not a point on P-256.
    case pointInvalid = "point_invalid"
    /// A record that cannot hold a delimiter and a tag.
    case shortRecord = "short_record"
    /// More than the one record that RFC 8291, section 4 allows.
    case multipleRecords = "multiple_records"
    /// The tag does not match: encrypted for another key, or changed on the way.
    case authenticationTag = "auth_tag"
    /// The last octet that is not padding is not 0x02, so this is not a last record (RFC 8188, section 2).
    case badDelimiter = "bad_delimiter"
    /// Nothing but padding.
    case noDelimiter = "no_delimiter"
    /// In the old coding: a length of padding that goes beyond the record, or padding that is not zeros.
    case badPadding = "bad_padding"
    /// Not the sender's fault: OpenSSL failed by itself, so the same message may be readable a moment later.
    case cryptographyFailed = "cryptography_failed"

    /// Runs the decryption, whose failures are the sender's unless OpenSSL fails by itself.
    static func mapping<Value>(_ work: () throws(CryptoError) -> Value) throws(MessageError) -> Value {
        do throws(CryptoError) {
            return try work()
        } catch {
            switch error {
            case .notAPoint: throw .pointInvalid
            case .authentication: throw .authenticationTag
            case .notAP256PrivateKey, .library: throw .cryptographyFailed
            }
        }
    }
}
