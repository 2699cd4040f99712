import Crypto
import Foundation
import RelayTesting
import Testing

/// One request to an endpoint, as an instance makes it.
struct SenderRequest: Sendable {
    var fields: [(name: String, value: String)]
    let body: [UInt8]
}

/// A server, or the library that it sends with, in the exact shape of what it posts.
struct FediverseSender: Sendable, CustomTestStringConvertible {
    /// How it encrypts; the numbers are octets of the record before it is sealed.
    enum Shape: Sendable {
        /// `aes128gcm`, filled up to a length behind the delimiter.
        case padded(to: Int, recordSize: UInt32 = 4_096)
        /// `aes128gcm`, with so many zeros behind the delimiter.
        case plain(zeros: Int = 0)
        /// `aes128gcm` whose record size is the length of the one record.
        case exact(zeros: Int)
        /// `aesgcm`, filled up to a length in front of the text, the two octets of the padding's length not counted.
        case legacy(paddedTo: Int? = nil)
    }

    /// What `fields` is made of.
    struct Parts {
        let length: Int
        /// `vapid t=…, k=…`.
        let vapid: String
        /// The same without the space.
        let tight: String
        /// `WebPush …`.
        let webPush: String
        /// `salt=…`, of the old coding.
        let salt: String
        /// `dh=…`, of the old coding.
        let dh: String
        /// `p256ecdsa=…`.
        let key: String
    }

    let name: String
    let shape: Shape
    /// Of the whole body, where the sender fills it up.
    var length: Int?
    /// Seconds that its tokens are valid for.
    var tokenLifetime: Int64 = 43_200
    /// Whether the audience of its tokens has the port of the endpoint.
    var namesPort = true
    let subject: String
    let payload: String
    let title: String
    let body: String
    let timeToLive: Int64
    let fields: @Sendable (Parts) -> [(name: String, value: String)]

    var testDescription: String { name }

    /// What stands in the payloads of all that send one.
    static let accessToken = "a-live-bearer-token"

    /// The request for a subscription, signed for the origin of its endpoint.
    func request(
        to subscription: TestSubscription,
        signer: VAPIDSigner,
        origin: String,
        now: Int64
    ) throws -> SenderRequest {
        let plaintext = Array(payload.utf8)
        var (salt, dh) = ("", "")
        var current = subscription.sender
        current.recordSize = 4_096
        let octets: [UInt8]
        switch shape {
        case .padded(let length, let recordSize):
            current.recordSize = recordSize
            current.padding = length - plaintext.count - 1
            octets = try current.encrypt(plaintext)
        case .plain(let zeros):
            current.padding = zeros
            octets = try current.encrypt(plaintext)
        case .exact(let zeros):
            current.padding = zeros
            current.recordSize = UInt32(plaintext.count + 1 + zeros + 16)
            octets = try current.encrypt(plaintext)
        case .legacy(let length):
            var legacy = LegacyWebPushSender(p256dh: current.p256dh, auth: current.auth)
            legacy.padding = length.map { $0 - plaintext.count } ?? 0
            let message = try legacy.encrypt(plaintext)
            (salt, dh, octets) = (message.encryption, message.cryptoKey, message.body)
        }
        let token = try signer.token(
            audience: namesPort ? origin : origin.replacing(/:[0-9]+$/, with: ""),
            expiration: now + tokenLifetime,
            subject: subject
        )
        let parts = Parts(
            length: octets.count,
            vapid: signer.vapid(token),
            tight: signer.vapid(token, space: false),
            webPush: signer.webPush(token),
            salt: salt,
            dh: dh,
            key: signer.cryptoKey
        )
        return SenderRequest(fields: fields(parts), body: octets)
    }
}
