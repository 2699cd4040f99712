import APNs
import Crypto
import HTTPServer
package import Store
import WebPush

/// The app's routes: what it registers, sets, asks for and takes away.
///
/// A call for an id that no row has is done all the same: a client that tidies up has nothing to fix. Only to whoever asks
/// for a subscription it is an error, by which the app learns that it has none any more.
package struct RegistrationHandler: Sendable {
    private let store: Store
    private let limits: PushLimits
    private let registrationLimits: RegistrationLimits
    private let publicURL: String
    private let clocks: Clocks
    private let log: Log
    private let meters: Meters

    /// - Parameter limits: of the pushes that the subscriptions get; those of one that is gone are dropped.
    package init(
        store: Store,
        limits: PushLimits,
        registrationLimits: RegistrationLimits,
        publicURL: String,
        clocks: Clocks,
        log: Log,
        meters: Meters
    ) {
        self.store = store
        self.limits = limits
        self.registrationLimits = registrationLimits
        self.publicURL = publicURL
        self.clocks = clocks
        self.log = log
        self.meters = meters
    }

    /// 128 bits, which nobody guesses (RFC 8030, section 8.2 asks for 120).
    private static let idLength = 16

    /// `POST /subscribe`: a new id and new keys, in place of what the same account on the same device had.
    func subscribe(_ request: Request) async throws(RelayError) -> Response {
        do throws(RelayError) {
            let response = try await admit(request)
            meters.registrationEnded(.created)
            return response
        } catch {
            meters.registrationEnded(RegistrationOutcome(error))
            throw error
        }
    }

    private func admit(_ request: Request) async throws(RelayError) -> Response {
        let wanted = try body(request, as: SubscribeBody.self)
        if let wait = registrationLimits.admit() { throw .tooManyRegistrations(wait) }
        do throws(RelayError) {
            return try await register(wanted)
        } catch {
            registrationLimits.giveBack()
            throw error
        }
    }

    private func register(_ wanted: SubscribeBody) async throws(RelayError) -> Response {
        let id: String
        let keys: ReceiverKeys
        do throws(CryptoError) {
            id = try Base64URL.encode(Random.octets(Self.idLength))
            keys = try ReceiverKeys()
        } catch {
            throw .internalFailure
        }
        let subscriptionID = SubscriptionID(hashing: Array(id.utf8))
        let registration = Registration(
            id: subscriptionID,
            deviceToken: wanted.deviceToken.hex,
            account: wanted.account,
            label: wanted.label,
            privateKey: keys.privateKey.scalar,
            publicKey: keys.privateKey.publicPoint,
            authSecret: keys.authSecret,
            createdAt: clocks.now(),
            environment: wanted.environment?.rawValue,
            vapidKey: wanted.vapidKey
        )
        let replaced = try await store(registration)
        for id in replaced { limits.forget(id) }
        log(.info, "subscribed", ["subscription": subscriptionID.shortName, "replaced": "\(replaced.count)"])
        return try .json(
            201,
            SubscribeAnswer(
                subscription_id: id,
                endpoint: "\(publicURL)/wp/\(id)",
                p256dh: Base64URL.encode(keys.privateKey.publicPoint),
                auth: Base64URL.encode(keys.authSecret)
            )
        )
    }

    private func store(_ registration: Registration) async throws(RelayError) -> [SubscriptionID] {
        do throws(StoreError) {
            return try await store.register(registration, most: registrationLimits.subscriptions)
        } catch {
            if case .tooManySubscriptions = error { throw .tooManySubscriptions(error) }
            throw .database(error)
        }
    }

    /// `GET /subscribe/{id}`: how it stands with a subscription; nothing of it is decrypted for that.
    func status(_ id: SubscriptionID) async throws(RelayError) -> Response {
        let found = try await RelayError.mapping { () async throws(StoreError) in try await store.summary(of: id) }
        guard let found else { throw .subscriptionGone }
        return try .json(200, StatusAnswer(found))
    }

    /// `DELETE /subscribe/{id}`.
    func unsubscribe(_ id: SubscriptionID) async throws(RelayError) -> Response {
        let existed = try await RelayError.mapping { () async throws(StoreError) in try await store.delete(id) }
        limits.forget(id)
        // Anybody can sign off ids that nobody has, as often as they like.
        log(existed ? .info : .debug, "unsubscribed", ["subscription": id.shortName])
        return Response(status: 204)
    }

    /// `POST /subscribe/{id}/read`: the counter to 0, whatever the body is.
    func markRead(_ id: SubscriptionID) async throws(RelayError) -> Response {
        try await setBadge(id, to: 0)
    }

    /// `POST /subscribe/{id}/unread`: the counter to what the app knows; negative counts are 0.
    func setUnread(_ id: SubscriptionID, _ request: Request) async throws(RelayError) -> Response {
        try await setBadge(id, to: body(request, as: UnreadBody.self).count)
    }

    /// `POST /subscribe/{id}/badges`: whether this subscription's pushes carry a badge.
    func setBadges(_ id: SubscriptionID, _ request: Request) async throws(RelayError) -> Response {
        let enabled = try body(request, as: BadgesBody.self).enabled
        try await RelayError.mapping { () async throws(StoreError) in try await store.setBadgesEnabled(id, enabled) }
        return Response(status: 204)
    }

    private func setBadge(_ id: SubscriptionID, to count: Int64) async throws(RelayError) -> Response {
        try await RelayError.mapping { () async throws(StoreError) in try await store.setBadge(id, to: count) }
        return Response(status: 204)
    }

    private func body<Body: Decodable>(_ request: Request, as type: Body.Type) throws(RelayError) -> Body {
        do throws(JSON.Malformed) {
            return try JSON.decode(request.body)
        } catch {
            throw .malformedBody(error.text)
        }
    }
}
