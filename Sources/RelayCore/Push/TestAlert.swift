import Crypto
import HTTPServer
import Store
import WebPush

/// An alert by which a person sees that a phone is reached: a message of the relay's own, posted as an instance does it.
package enum TestAlert {
    /// What it says on the phone.
    static let octets = Array(
        #"{"notification_type":"test","title":"Test","body":"Your relay can reach this phone."}"#.utf8
    )

    /// The fields of the POST.
    package static let fields: [(name: String, value: String)] = [
        ("Content-Type", "application/octet-stream"), ("Content-Encoding", "aes128gcm"), ("TTL", "60"),
        ("Urgency", "high"),
    ]

    /// The body of the POST, encrypted for a subscription.
    static func sealed(for subscription: Subscription) throws(CryptoError) -> [UInt8] {
        let keys = try ReceiverKeys(
            scalar: subscription.privateKey,
            publicPoint: subscription.publicKey,
            authSecret: subscription.authSecret
        )
        return try EncryptedMessage.seal(octets, for: keys)
    }

    /// The whole POST to an endpoint, as it would come in.
    ///
    /// - Parameter name: the id as it stands in the path.
    static func request(to name: [UInt8], of subscription: Subscription) throws(CryptoError) -> Request {
        let fields = Fields(Self.fields.map { ($0.name, Array($0.value.utf8)) })
        let head = Head(method: "POST", target: Array("/wp/".utf8) + name, fields: fields)
        return Request(head: head, body: try sealed(for: subscription))
    }
}
