import Foundation
import RelayClient
import RelayTesting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An app on a device, written as the library wants it.
struct Phone: Sendable {
    /// As Apple and its simulation write it.
    let deviceToken: String
    let relay: RelayClient

    /// - Parameters:
    ///   - deviceToken: what iOS gives the app; its beginning chooses how the simulated Apple answers.
    ///   - subscribeToken: what is built into the app.
    ///   - retryPolicy: three attempts as in an app that ships, and none of its delays.
    init(
        _ relay: URL,
        deviceToken: String = freshToken(),
        subscribeToken: String = RunningRelay.subscribeToken,
        session: URLSession = .shared,
        retryPolicy: RetryPolicy = RetryPolicy(attempts: 3, firstDelay: 0, longestDelay: 0)
    ) {
        self.deviceToken = deviceToken
        self.relay = RelayClient(url: relay, subscribeToken: subscribeToken, session: session, retryPolicy: retryPolicy)
    }

    /// What iOS hands to the app.
    var deviceTokenOctets: Data { Data(hexadecimal: deviceToken) }

    /// An account that is signed in, with what the app keeps of it.
    struct Account: Sendable {
        let accessToken: String
        let instance: PixelfedClient
        let subscription: PushSubscription
        let registration: PixelfedClient.Registration
    }

    /// The whole of signing in: gets an access token, subscribes at the relay for this instance alone, and registers the
    /// subscription with the instance.
    func signIn(_ user: String, at pixelfed: PixelfedSimulator) async throws -> Account {
        let accessToken = try await pixelfed.signIn(user)
        return try await register(user, at: pixelfed, accessToken: accessToken)
    }

    /// What an app does for an account whenever it is opened, when its device token has changed for one.
    func register(_ user: String, at pixelfed: PixelfedSimulator, accessToken: String) async throws -> Account {
        let instance = PixelfedClient(instance: pixelfed.url, accessToken: accessToken)
        let subscription = try await subscribe(user, vapidKey: instance.vapidKey())
        let registration = try await instance.register(subscription)
        return Account(
            accessToken: accessToken,
            instance: instance,
            subscription: subscription,
            registration: registration
        )
    }

    /// Subscribes at the relay, and tells no instance.
    func subscribe(_ user: String = "alice", vapidKey: String? = nil) async throws -> PushSubscription {
        try await relay.subscribe(
            deviceToken: deviceTokenOctets,
            label: "the phone of \(user)",
            account: "\(user)@pixels.example",
            environment: .production,
            vapidKey: vapidKey
        )
    }
}

extension Data {
    /// Reads pairs of hexadecimal digits.
    init(hexadecimal text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        self.init(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}
