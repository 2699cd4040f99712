package import APNs
import Crypto
import FoundationEssentials
import HTTPServer
package import Store
import WebPush

/// The story of one push: from an encrypted body at `/wp/<id>` to Apple's word and the sender's answer.
package struct PushHandler: Sendable {
    private let store: Store
    private let apple: Client
    private let limiter: RateLimiter
    private let sounds: Sounds
    private let clocks: Clocks
    private let log: Log

    package init(store: Store, apple: Client, limiter: RateLimiter, sounds: Sounds, clocks: Clocks, log: Log) {
        self.store = store
        self.apple = apple
        self.limiter = limiter
        self.sounds = sounds
        self.clocks = clocks
        self.log = log
    }

    /// Handles one message; whatever it throws leaves the row as it was, but for a token that Apple calls dead.
    func respond(to request: Request, id: SubscriptionID) async throws(RelayError) -> Response {
        let headers = try PushHeaders(request.head.fields)
        let subscription = try await subscription(id)
        if let wait = limiter.admit(id) { throw .rateLimited(wait) }
        let message = try open(request.body, for: subscription)
        let increment = await countUp(id)
        let notification: Notification
        do throws(RelayError) {
            notification = try self.notification(message, for: subscription, badge: increment?.badge, headers: headers)
        } catch {
            await takeBack(increment, of: id)
            throw error
        }
        try await settle(await apple.send(notification), increment, id)
        return Response(status: 201)
    }

    private func subscription(_ id: SubscriptionID) async throws(RelayError) -> Subscription {
        let found = try await RelayError.mapping { () async throws(StoreError) in try await store.subscription(id) }
        guard let found else { throw .subscriptionGone }
        return found
    }

    private func open(_ body: [UInt8], for subscription: Subscription) throws(RelayError) -> Message {
        let keys: ReceiverKeys
        do throws(CryptoError) {
            keys = try ReceiverKeys(scalar: subscription.privateKey, authSecret: subscription.authSecret)
        } catch {
            // The stored key is the relay's own; that it cannot be read is not the sender's fault.
            throw .undecryptable(.cryptographyFailed)
        }
        let plaintext: [UInt8]
        do throws(MessageError) {
            plaintext = try keys.open(EncryptedMessage(parsing: body))
        } catch {
            throw .undecryptable(error)
        }
        do throws(JSON.Malformed) {
            return try Message(parsing: plaintext)
        } catch {
            throw .malformedMessage(error.text)
        }
    }

    /// An alert without a badge beats a badge without an alert, so a counter that cannot be written is only logged.
    private func countUp(_ id: SubscriptionID) async -> BadgeIncrement? {
        do throws(StoreError) {
            return try await store.countUp(id)
        } catch {
            log(.error, "badge_not_counted", ["subscription": id.shortName, "detail": "\(error)"])
            return nil
        }
    }

    private func notification(
        _ message: Message,
        for subscription: Subscription,
        badge: Int?,
        headers: PushHeaders
    ) throws(RelayError) -> Notification {
        guard let deviceToken = DeviceToken(parsing: subscription.deviceToken.utf8) else { throw .internalFailure }
        let payload = Payload(
            title: message.title,
            body: message.body,
            badge: badge,
            sound: sounds.sound(for: message.notificationType),
            notificationType: message.notificationType,
            accountID: message.accountID,
            statusID: message.statusID,
            account: subscription.account.isEmpty ? nil : subscription.account
        )
        guard let octets = try? payload.encoded() else { throw .internalFailure }
        return Notification(
            deviceToken: deviceToken,
            id: UUID().uuidString.lowercased(),
            payload: octets,
            collapseID: CollapseID.derive(
                subscription.id,
                notificationType: message.notificationType,
                statusID: message.statusID
            ),
            expiration: headers.timeToLive.seconds == 0 ? 0 : clocks.now() + headers.timeToLive.seconds
        )
    }

    /// Makes the database and the log agree with what Apple said.
    private func settle(
        _ outcome: Outcome,
        _ increment: BadgeIncrement?,
        _ id: SubscriptionID
    ) async throws(RelayError) {
        switch outcome {
        case .accepted:
            log(.info, "push_accepted", ["subscription": id.shortName])
        case .deviceGone(let rejection):
            try await RelayError.mapping { () async throws(StoreError) in try await store.delete(id) }
            limiter.forget(id)
            // One device that was wiped is everyday life; one that Apple does not know may be a wrong topic or environment.
            log(
                rejection.status == 410 ? .info : .warning,
                "device_gone",
                ["subscription": id.shortName, "status": "\(rejection.status)", "reason": rejection.word]
            )
            throw .subscriptionGone
        case .misconfigured(let cause):
            await takeBack(increment, of: id)
            log(.error, "apple_refuses_configuration", ["subscription": id.shortName, "cause": "\(cause)"])
            throw .appleFailed
        case .tryAgain(let cause):
            await takeBack(increment, of: id)
            log(.warning, "push_failed", ["subscription": id.shortName, "cause": "\(cause)"])
            switch cause {
            case .overloaded, .stopping: throw .overloaded
            case .rejection, .transport: throw .appleFailed
            }
        }
    }

    private func takeBack(_ increment: BadgeIncrement?, of id: SubscriptionID) async {
        guard let increment else { return }
        do throws(StoreError) {
            try await store.takeBack(increment, of: id)
        } catch {
            log(.error, "badge_not_taken_back", ["subscription": id.shortName, "detail": "\(error)"])
        }
    }
}
