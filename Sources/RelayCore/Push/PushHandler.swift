import APNs
import Crypto
import HTTPServer
package import Store
package import WebPush

/// The story of one push: from an encrypted body at `/wp/<id>` to Apple's word and the sender's answer.
package struct PushHandler: Sendable {
    private let store: Store
    let apple: Apple
    private let limits: PushLimits
    private let senders: SenderVerifier
    private let recent: RecentPushes
    private let sounds: Sounds
    private let publicURL: String
    let clocks: Clocks
    private let log: DeliveryLog
    private let meters: Meters

    package init(
        store: Store,
        apple: Apple,
        limits: PushLimits,
        senders: SenderVerifier,
        recent: RecentPushes,
        sounds: Sounds,
        publicURL: String,
        clocks: Clocks,
        log: DeliveryLog,
        meters: Meters
    ) {
        self.store = store
        self.apple = apple
        self.limits = limits
        self.senders = senders
        self.recent = recent
        self.sounds = sounds
        self.publicURL = publicURL
        self.clocks = clocks
        self.log = log
        self.meters = meters
    }

    /// Handles one message; whatever it throws leaves the row as it was, but for a token that Apple calls dead.
    func respond(to request: Request, id: SubscriptionID) async throws(RelayError) -> Response {
        meters.pushBegan()
        do throws(RelayError) {
            let headers = try PushHeaders(request.head.fields)
            let latency = try await deliver(request, headers, to: id)
            meters.pushEnded(latency == nil ? .repeated : .accepted, latency: latency, at: clocks.now())
            return created(headers)
        } catch {
            meters.pushEnded(PushOutcome(error), at: clocks.now())
            throw error
        }
    }

    /// Has Apple take the message, and says how long after its receipt it did; nil for a repetition.
    private func deliver(
        _ request: Request,
        _ headers: PushHeaders,
        to id: SubscriptionID
    ) async throws(RelayError) -> Duration? {
        let subscription = try await subscription(id)
        try verifySender(headers, subscription)
        let plaintext = try admit(request.body, headers, subscription)
        let message = try message(plaintext)
        let content = RecentPushes.Content(plaintext: plaintext, body: request.body)
        guard !recent.isRepetition(content, for: subscription) else {
            log(LogLine(level: .info, event: "push_repeated"), about: id)
            return nil
        }
        let increment = try await countUp(id)
        failpoint(.afterBadgeBump)
        do throws(RelayError) {
            let notification: Notification
            do throws(RelayError) {
                notification = try self.notification(
                    message,
                    for: subscription,
                    badge: increment?.badge,
                    headers: headers
                )
            } catch {
                await takeBack(increment, of: id)
                throw error
            }
            let delivery = await apple.deliver(notification, to: subscription)
            let latency = request.receivedAt.duration(to: .now)
            failpoint(.afterApple)
            try await settle(delivery, increment, subscription)
            recent.accepted(content, for: subscription)
            return latency
        } catch {
            // After a 404 the sender forgets the device and does not come again, so what follows is no second try.
            if case .deviceGone = error {} else { recent.failed(content, for: subscription) }
            throw error
        }
    }

    func subscription(_ id: SubscriptionID) async throws(RelayError) -> Subscription {
        let found = try await RelayError.mapping { () async throws(StoreError) in try await store.subscription(id) }
        guard let found else { throw .subscriptionGone }
        return found
    }

    /// A row that names its sender takes messages from nobody else, and answers the others before it spends anything.
    private func verifySender(_ headers: PushHeaders, _ subscription: Subscription) throws(RelayError) {
        guard let key = subscription.vapidKey else { return }
        do throws(SenderError) {
            try senders.verify(authorization: headers.authorization, cryptoKey: headers.cryptoKey, key: key)
        } catch {
            throw .otherSender(error)
        }
    }

    /// Decrypts a body within the limits: what opens counts against one, what does not against the other.
    func admit(
        _ body: [UInt8],
        _ headers: PushHeaders,
        _ subscription: Subscription
    ) throws(RelayError) -> [UInt8] {
        let id = subscription.id
        try refuseWithoutRoom(id)
        let plaintext: [UInt8]
        do throws(RelayError) {
            let sealed = try SealedBody(body, headers)
            // RFC 8292, section 3.2: a key that signs is not to agree on secrets too.
            guard sealed.senderKey != subscription.vapidKey else { throw RelayError.signingKeyReused }
            plaintext = try sealed.open(with: keys(of: subscription))
        } catch {
            if case .undecryptable(.cryptographyFailed) = error { throw error }
            if let wait = limits.strays.admit(id) { throw refused(by: .strays, wait) }
            throw error
        }
        if let wait = limits.messages.admit(id) { throw refused(by: .messages, wait) }
        return plaintext
    }

    /// What is over the limit of messages is refused before anything is spent on it.
    func refuseWithoutRoom(_ id: SubscriptionID) throws(RelayError) {
        if let wait = limits.messages.wait(for: id) { throw refused(by: .messages, wait) }
    }

    private func refused(by limit: Limit, _ wait: RetryAfter) -> RelayError {
        meters.hit(limit)
        return .rateLimited(wait)
    }

    private func keys(of subscription: Subscription) throws(RelayError) -> ReceiverKeys {
        do throws(CryptoError) {
            return try ReceiverKeys(
                scalar: subscription.privateKey,
                publicPoint: subscription.publicKey,
                authSecret: subscription.authSecret
            )
        } catch {
            // The stored key is the relay's own; that it cannot be read is not the sender's fault.
            throw .undecryptable(.cryptographyFailed)
        }
    }

    /// 201 with a push message resource that reveals nothing, since there is none (RFC 8030, section 5).
    private func created(_ headers: PushHeaders) -> Response {
        var fields = [(name: "TTL", value: "\(headers.timeToLive.seconds)")]
        if let name = try? Base64URL.encode(Random.octets(16)) { fields.append(("Location", "\(publicURL)/m/\(name)")) }
        return Response(status: 201, fields: fields)
    }

    func message(_ plaintext: [UInt8]) throws(RelayError) -> Message {
        do throws(JSON.Malformed) {
            return try Message(parsing: plaintext)
        } catch {
            throw .malformedMessage(error.text)
        }
    }

    /// An alert without a badge beats a badge without an alert, so a counter that cannot be written is only logged.
    ///
    /// - Throws: `subscriptionGone` when the app has taken the row away since it was read.
    private func countUp(_ id: SubscriptionID) async throws(RelayError) -> BadgeIncrement? {
        let increment: BadgeIncrement?
        do throws(StoreError) {
            increment = try await store.countUp(id)
        } catch {
            meters.databaseFailed()
            log(LogLine(level: .error, event: "badge_not_counted", cause: "\(error)"), about: id)
            return nil
        }
        guard let increment else { throw .subscriptionGone }
        return increment
    }

    func notification(
        _ message: Message,
        for subscription: Subscription,
        badge: Int?,
        headers: PushHeaders
    ) throws(RelayError) -> Notification {
        guard
            let deviceToken = DeviceToken(parsing: subscription.deviceToken.utf8),
            let notificationID = try? Random.uuid()
        else { throw .internalFailure }
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
        return Notification(
            deviceToken: deviceToken,
            id: notificationID,
            payload: payload.encoded(),
            collapseID: CollapseID.derive(
                subscription.id,
                topic: headers.topic,
                notificationType: message.notificationType,
                statusID: message.statusID
            ),
            expiration: headers.timeToLive.seconds == 0 ? 0 : clocks.now() + headers.timeToLive.seconds,
            priority: headers.urgency == .veryLow || headers.urgency == .low ? .considerate : .immediate
        )
    }

    /// Makes the row, the badge and the log agree with what Apple said, and throws the sender's answer unless it is 201.
    func settle(
        _ delivery: Apple.Delivery,
        _ increment: BadgeIncrement?,
        _ subscription: Subscription
    ) async throws(RelayError) {
        let id = subscription.id
        let consequence = Consequence(
            of: delivery.outcome,
            registeredAt: subscription.createdAt,
            now: clocks.now()
        )
        if consequence.badge == .takenBack { await takeBack(increment, of: id) }
        switch consequence.row {
        case .kept:
            log(consequence.line, about: id)
            await noteFailure(consequence, of: id)
        case .deleted:
            try await RelayError.mapping { () async throws(StoreError) in
                try await store.delete(id, deviceToken: subscription.deviceToken)
            }
            limits.forget(id)
            log(consequence.line, about: id)
        case .deletedUnlessGuarded:
            let isDeleted = try await RelayError.mapping { () async throws(StoreError) in
                try await store.deleteDoubtful(id, deviceToken: subscription.deviceToken, at: clocks.now())
            }
            guard isDeleted else {
                log(consequence.guardedLine, about: id)
                await noteFailure(consequence, of: id)
                throw .deletionRefused
            }
            limits.forget(id)
            log(consequence.line, about: id)
        }
        if let answer = consequence.answer { throw answer }
        await noteAccepted(subscription, delivery.environment)
    }

    /// For the operator's eyes, with the row that is kept.
    private func noteFailure(_ consequence: Consequence, of id: SubscriptionID) async {
        guard consequence.answer != nil else { return }
        await store.note(id, failure: consequence.line.cause ?? consequence.line.event, at: clocks.now())
    }

    private func noteAccepted(_ subscription: Subscription, _ environment: Environment?) async {
        do throws(StoreError) {
            try await store.accepted(subscription, environment: environment?.rawValue, at: clocks.now())
        } catch {
            meters.databaseFailed()
            // The alert is out; what was learnt by it will be learnt again.
            log(LogLine(level: .error, event: "acceptance_not_noted", cause: "\(error)"), about: subscription.id)
        }
    }

    private func takeBack(_ increment: BadgeIncrement?, of id: SubscriptionID) async {
        guard let increment else { return }
        meters.badgeTakenBack()
        do throws(StoreError) {
            try await store.takeBack(increment, of: id)
        } catch {
            meters.databaseFailed()
            let remedy = "the next write takes it back, unless the relay stops before"
            log(LogLine(level: .error, event: "badge_not_taken_back", cause: "\(error)", remedy: remedy), about: id)
        }
    }
}
