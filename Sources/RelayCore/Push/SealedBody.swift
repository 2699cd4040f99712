import WebPush

/// A body that has been taken apart in the coding that its fields name, and not yet decrypted.
enum SealedBody {
    case current(EncryptedMessage)
    case legacy(LegacyMessage)

    /// - Throws: what is wrong with the body, with the fields that belong to it, or with the coding that it is not in.
    init(_ body: [UInt8], _ headers: PushHeaders) throws(RelayError) {
        switch headers.coding {
        case .aes128gcm:
            self = .current(try Self.current(body))
        case .unnamed:
            do throws(RelayError) {
                self = .current(try Self.current(body))
            } catch {
                // RFC 8188, section 4: without the coding a body is not encrypted, unless it very much looks like it.
                throw body.isEmpty ? error : .unknownCoding
            }
        case .aesgcm:
            do throws(LegacyMessage.FieldError) {
                self = .legacy(
                    try LegacyMessage(encryption: headers.encryption, cryptoKey: headers.cryptoKey, body: body)
                )
            } catch {
                throw .malformedField(PushField(error))
            }
        }
    }

    private static func current(_ body: [UInt8]) throws(RelayError) -> EncryptedMessage {
        do throws(MessageError) { return try EncryptedMessage(parsing: body) } catch { throw .undecryptable(error) }
    }

    /// The public key that the sender made for this message.
    var senderKey: [UInt8] {
        switch self {
        case .current(let message): message.senderKey
        case .legacy(let message): message.senderKey
        }
    }

    func open(with keys: ReceiverKeys) throws(RelayError) -> [UInt8] {
        do throws(MessageError) {
            switch self {
            case .current(let message): return try keys.open(message)
            case .legacy(let message): return try keys.open(message)
            }
        } catch {
            // The stored keys are the relay's own; that they do not belong together is not the sender's fault.
            if error == .authenticationTag, !keys.arePair { throw .undecryptable(.cryptographyFailed) }
            throw .undecryptable(error)
        }
    }
}
