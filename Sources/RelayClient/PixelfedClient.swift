public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The Web Push routes of a Pixelfed instance, which are those of Mastodon.
///
/// Mastodon keeps one subscription for each access token, Pixelfed the ten latest of a user. Every call asks again by itself, as ``RelayClient`` does,
/// and throws a ``PixelfedError``; a task that is cancelled throws `CancellationError`. Redirects are not followed, since
/// the access token is for the instance alone.
///
/// See <https://docs.joinmastodon.org/methods/push/>.
public struct PixelfedClient: Sendable {
    private let instance: URL
    private let accessToken: Secret
    private let transport: Transport

    /// A client of the instance at `instance`.
    ///
    /// - Parameters:
    ///   - instance: its origin, such as `https://pixels.example`.
    ///   - accessToken: the user's, with the scope `push`.
    ///   - session: carries the requests, and its time-outs count where they are below 30 s; neither its cookies nor its
    ///     cache are used.
    ///   - retryPolicy: how often a call asks again by itself, and how long it waits before.
    public init(
        instance: URL,
        accessToken: String,
        session: URLSession = .shared,
        retryPolicy: RetryPolicy = .standard
    ) {
        self.init(
            instance: instance,
            accessToken: accessToken,
            transport: Transport(session: session, policy: retryPolicy)
        )
    }

    init(instance: URL, accessToken: String, transport: Transport) {
        self.instance = instance
        self.accessToken = Secret(accessToken)
        var transport = transport
        // What an instance says of itself may hold its rules, in several languages.
        transport.longestBody = 1_048_576
        self.transport = transport
    }

    /// The key that the instance signs its messages with, 65 octets as base64url (RFC 8292, section 3.2).
    ///
    /// Register it with ``RelayClient/subscribe(deviceToken:label:account:environment:vapidKey:)``, and the endpoint takes
    /// messages from this instance alone. The access token is not sent.
    ///
    /// - Returns: nil where the instance publishes none: then it has no Web Push, or is older than the field.
    /// - Throws: ``PixelfedError``.
    public func vapidKey() async throws -> String? {
        var request = request("GET", "api/v2/instance")
        request.setValue(nil, forHTTPHeaderField: "Authorization")
        let answer = try await self.answer(to: request)
        if answer.status == 404, PixelfedError(answer) == .pushNotAvailable { return nil }
        guard answer.status == 200, let description = answer.decoded(InstanceDescription.self) else {
            throw PixelfedError(answer)
        }
        guard let key = description.configuration?.vapid?.public_key, !key.isEmpty else { return nil }
        return key
    }

    /// Has the instance send its messages for this access token to a subscription, in place of an earlier one.
    ///
    /// - Parameters:
    ///   - subscription: from ``RelayClient/subscribe(deviceToken:label:account:environment:vapidKey:)``.
    ///   - alerts: what the user wants to be told; Pixelfed may send the others as well.
    /// - Returns: what the instance has stored.
    /// - Throws: ``PixelfedError``.
    public func register(
        _ subscription: PushSubscription,
        alerts: Set<Alert> = Alert.all
    ) async throws -> Registration {
        let answer = try await answer(to: registration(of: subscription, alerts: alerts))
        guard answer.status == 200, let stored = answer.decoded(Registration.Wire.self) else {
            throw PixelfedError(answer)
        }
        return Registration(stored)
    }

    /// Ends the subscription of this access token, also where there is none.
    ///
    /// - Throws: ``PixelfedError``.
    public func delete() async throws {
        let answer = try await answer(to: request("DELETE", Self.subscriptionPath))
        guard (200...299).contains(answer.status) || PixelfedError(answer) == .pushNotAvailable else {
            throw PixelfedError(answer)
        }
    }

    private static let subscriptionPath = "api/v1/push/subscription"

    func registration(of subscription: PushSubscription, alerts: Set<Alert>) -> URLRequest {
        var form = Form()
        form.append("subscription[endpoint]", subscription.endpoint.absoluteString)
        form.append("subscription[keys][p256dh]", subscription.p256dh)
        form.append("subscription[keys][auth]", subscription.auth)
        // The coding of RFC 8291, where Mastodon would choose the one before it.
        form.append("subscription[standard]", "true")
        for alert in Alert.allCases {
            form.append("data[alerts][\(alert.rawValue)]", alerts.contains(alert) ? "true" : "false")
        }
        var request = request("POST", Self.subscriptionPath)
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.httpBody = form.body
        return request
    }

    private func request(_ method: String, _ path: String) -> URLRequest {
        var request = URLRequest(url: instance.appendingPathComponent(path))
        request.httpMethod = method
        request.setValue("Bearer \(accessToken.text)", forHTTPHeaderField: "Authorization")
        // Without it Laravel answers a mistake with a redirect.
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        return request
    }

    private func answer(to request: URLRequest) async throws -> Answer {
        do {
            return try await transport.answer(to: request)
        } catch let error as TransportError {
            throw PixelfedError(error)
        }
    }
}

/// What is read of `GET /api/v2/instance`.
private struct InstanceDescription: Decodable {
    let configuration: Configuration?

    struct Configuration: Decodable {
        let vapid: VAPID?
    }

    struct VAPID: Decodable {
        let public_key: String?
    }
}
