public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The relay, as the app talks to it.
///
/// Every call asks again by itself, as often as its ``RetryPolicy`` has it, where asking again can help, and then throws
/// a ``RelayClientError``, which says what the app can do. A task that is cancelled throws `CancellationError`. Redirects
/// are not followed, since the subscribe token is for the relay alone.
public struct RelayClient: Sendable {
    private let relay: Relay

    /// A client of the relay at `url`.
    ///
    /// - Parameters:
    ///   - url: the relay's `PUBLIC_URL`, such as `https://push.example.org`; with a path every call is refused as
    ///     ``RelayClientError/configuration(_:message:)``.
    ///   - subscribeToken: one of the tokens in the relay's `SUBSCRIBE_TOKEN`.
    ///   - session: carries the requests, and its time-outs count where they are below 30 s; neither its cookies nor its
    ///     cache are used.
    ///   - retryPolicy: how often a call asks again by itself, and how long it waits before.
    public init(
        url: URL,
        subscribeToken: String,
        session: URLSession = .shared,
        retryPolicy: RetryPolicy = .standard
    ) {
        relay = Relay(
            url: url,
            token: Secret(subscribeToken),
            transport: Transport(session: session, policy: retryPolicy)
        )
    }

    init(_ relay: Relay) {
        self.relay = relay
    }

    /// Registers an account on this device, in place of what the same account on the same device had.
    ///
    /// To repeat it is safe, and routine: call it whenever iOS hands out a device token, hand the new subscription to the
    /// instance with ``PixelfedClient/register(_:alerts:)``, and keep it in the keychain. The endpoint of the earlier one
    /// is gone from then on.
    ///
    /// - Parameters:
    ///   - deviceToken: what `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)` got.
    ///   - label: how the relay's operator sees this subscription, up to 256 octets of UTF-8.
    ///   - account: any text of up to 256 octets of UTF-8 that is the same whenever this account registers. It comes back
    ///     in each push as ``PushPayload/account``. Without it the device has one subscription.
    ///   - environment: which of Apple's services the token belongs to: `sandbox` for a build from Xcode, `production` for
    ///     TestFlight and the App Store. Without it the relay finds out.
    ///   - vapidKey: the instance's public key, from ``PixelfedClient/vapidKey()``. With it the endpoint takes messages
    ///     from that instance alone (RFC 8292).
    /// - Returns: what the instance and the later calls need.
    /// - Throws: ``RelayClientError``.
    public func subscribe(
        deviceToken: Data,
        label: String? = nil,
        account: String? = nil,
        environment: PushEnvironment? = nil,
        vapidKey: String? = nil
    ) async throws -> PushSubscription {
        let body = SubscribeBody(
            device_token: deviceToken.hex,
            label: label,
            account: account,
            environment: environment,
            vapid_key: vapidKey
        )
        let answer = try await relay.answer(.post, [], body: body)
        let given = try answer.decoded(SubscribeAnswer.self, status: 201)
        let subscription = PushSubscription(
            id: given.subscription_id,
            endpoint: given.endpoint,
            p256dh: given.p256dh,
            auth: given.auth,
            account: account,
            deviceToken: deviceToken,
            vapidKey: vapidKey
        )
        guard let subscription else { throw RelayClientError.notARelay(status: answer.status) }
        return subscription
    }

    /// Ends a subscription, also one that is gone already: no push comes from it any more.
    ///
    /// - Throws: ``RelayClientError``, but never ``RelayClientError/registerAnew``.
    public func unsubscribe(_ subscription: PushSubscription) async throws {
        try await relay.answer(.delete, [subscription.id]).expectDone()
    }

    /// Sets this subscription's share of the badge to what the app knows to be unread.
    ///
    /// The badge of the device is the sum over its subscriptions. A subscription that is gone is no error, nor is a relay
    /// that is older than this route.
    ///
    /// - Parameters:
    ///   - count: below 0 it is 0.
    ///   - subscription: of the account that the count belongs to.
    /// - Throws: ``RelayClientError``, but never ``RelayClientError/registerAnew``.
    public func setUnread(_ count: Int, for subscription: PushSubscription) async throws {
        try await relay.answer(.post, [subscription.id, "unread"], body: ["count": count]).expectDone()
    }

    /// Sets this subscription's share of the badge to 0, as ``setUnread(_:for:)`` does.
    ///
    /// - Throws: ``RelayClientError``, but never ``RelayClientError/registerAnew``.
    public func markRead(_ subscription: PushSubscription) async throws {
        try await relay.answer(.post, [subscription.id, "read"], body: Nothing()).expectDone()
    }

    /// Sets whether this subscription's pushes carry a badge; the relay goes on counting while they do not.
    ///
    /// A subscription that is gone is no error, nor is a relay that is older than this route.
    ///
    /// - Throws: ``RelayClientError``, but never ``RelayClientError/registerAnew``.
    public func setBadges(enabled: Bool, for subscription: PushSubscription) async throws {
        try await relay.answer(.post, [subscription.id, "badges"], body: ["enabled": enabled]).expectDone()
    }

    /// What the relay knows of a subscription.
    ///
    /// - Throws: ``RelayClientError``: ``RelayClientError/registerAnew`` when the subscription is gone, and
    ///   ``RelayClientError/configuration(_:message:)`` with ``ErrorWord/methodNotAllowed`` at a relay that is older than
    ///   this route.
    public func status(of subscription: PushSubscription) async throws -> SubscriptionStatus {
        let answer = try await relay.answer(.get, [subscription.id])
        guard !answer.isNotFound else { throw RelayClientError.registerAnew }
        return SubscriptionStatus(try answer.decoded(SubscriptionStatus.Wire.self, status: 200))
    }

    /// Has the relay send a test alert to this subscription, the way that every message goes.
    ///
    /// It counts against the subscription's limit, and not as unread. It is asked for once, whatever the policy: each time
    /// may be another alert on the phone.
    ///
    /// - Returns: what became of it, whether Apple accepted it or not.
    /// - Throws: ``RelayClientError`` when the test was not tried: ``RelayClientError/registerAnew`` when the subscription
    ///   is gone, and ``RelayClientError/configuration(_:message:)`` at a relay that is older than this route.
    public func sendTest(to subscription: PushSubscription) async throws -> TestReport {
        let answer = try await relay.once.answer(.post, [subscription.id, "test"], body: Nothing())
        if answer.isNotFound {
            // A relay that is older than this route says the same as one that does not know the id.
            _ = try await status(of: subscription)
        }
        return TestReport(try answer.decoded(TestReport.Wire.self, status: 200))
    }
}

/// What `POST /subscribe` takes.
private struct SubscribeBody: Encodable {
    let device_token: String
    let label: String?
    let account: String?
    let environment: PushEnvironment?
    let vapid_key: String?
}

/// What `POST /subscribe` answers.
private struct SubscribeAnswer: Decodable {
    let subscription_id: String
    let endpoint: URL
    let p256dh: String
    let auth: String
}

/// `{}`, where the relay looks at no body.
private struct Nothing: Encodable {}

extension Data {
    /// Two lower-case digits for each octet.
    fileprivate var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0f)]] }, as: UTF8.self)
    }
}
