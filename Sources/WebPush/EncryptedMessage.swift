import Crypto

/// A body in the `aes128gcm` content coding (RFC 8188, section 2), taken apart but not yet decrypted.
package struct EncryptedMessage {
    /// 16 octets.
    let salt: [UInt8]
    /// The keyid: the sender's public key, 65 octets that begin with 0x04, not yet known to be on the curve.
    package let senderKey: [UInt8]
    /// The one record: ciphertext, then a tag of 16 octets; at least 17 octets.
    let record: ArraySlice<UInt8>

    static let saltLength = 16
    /// RFC 8188, section 2.
    static let smallestRecordSize = 18
    /// Salt, record size of four octets, length of the keyid.
    private static let fixedHeaderLength = saltLength + 4 + 1
    /// One octet of delimiter, and the tag.
    private static let smallestRecord = 1 + AESGCM.tagLength

    /// Reads the header by the rules of RFC 8291, section 4, which allow a single record and one form of keyid.
    ///
    /// The record size only ever serves a comparison: nothing is allocated by it, whatever it says.
    package init(parsing body: [UInt8]) throws(MessageError) {
        guard body.count >= Self.fixedHeaderLength else { throw .shortHeader }
        let recordSize = body[Self.saltLength..<Self.saltLength + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard recordSize >= UInt32(Self.smallestRecordSize) else { throw .recordSizeTooSmall }
        guard body[Self.fixedHeaderLength - 1] == UInt8(P256PrivateKey.pointLength) else { throw .keyIDLength }
        let headerLength = Self.fixedHeaderLength + P256PrivateKey.pointLength
        guard body.count >= headerLength else { throw .shortHeader }
        guard body[Self.fixedHeaderLength] == 0x04 else { throw .keyIDNotUncompressed }
        let record = body[headerLength...]
        guard record.count >= Self.smallestRecord else { throw .shortRecord }
        guard record.count <= Int(recordSize) else { throw .multipleRecords }

        salt = Array(body[..<Self.saltLength])
        senderKey = Array(body[Self.fixedHeaderLength..<headerLength])
        self.record = record
    }
}
