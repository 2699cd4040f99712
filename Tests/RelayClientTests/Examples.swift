import Foundation

@testable import RelayClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the tests register; the keys have the form of keys and open nothing.
enum Example {
    static let id = "q83vEjRWeJCrze8SNFZ4kA"
    static let p256dh = "B" + String(repeating: "p", count: 86)
    static let auth = String(repeating: "a", count: 22)
    static let deviceToken = Data((0..<32).map { UInt8($0) * 7 })
    static let account = "alice@pixels.example"

    static func subscription() throws -> PushSubscription {
        guard let endpoint = URL(string: "https://push.example.org/wp/\(id)"),
            let subscription = PushSubscription(
                id: id,
                endpoint: endpoint,
                p256dh: p256dh,
                auth: auth,
                account: account,
                deviceToken: deviceToken
            )
        else { throw POSIXError(.EINVAL) }
        return subscription
    }

    static let subscribeAnswer = """
        {"auth":"\(auth)","endpoint":"https://push.example.org/wp/\(id)","p256dh":"\(p256dh)","subscription_id":"\(id)"}
        """

    static func problem(_ word: ErrorWord, _ message: String = "what to do") -> String {
        "{\"error\":\"\(word.rawValue)\",\"message\":\"\(message)\"}"
    }
}

/// The waits of a transport, which take no time.
final class Waits: Sendable {
    private let waits = Locked<[TimeInterval]>([])

    var all: [TimeInterval] { waits.withLock(\.self) }

    func transport(
        _ policy: RetryPolicy = .standard,
        longestBody: Int = 65_536,
        deadline: TimeInterval = 20
    ) -> Transport {
        Transport(
            session: .shared,
            policy: policy,
            longestBody: longestBody,
            deadline: deadline,
            sleep: { [waits] delay in waits.withLock { $0.append(delay) } },
            jitter: { 1 }
        )
    }

    func relay(at url: URL, _ policy: RetryPolicy = .standard) -> RelayClient {
        RelayClient(Relay(url: url, token: Secret("the-subscribe-token"), transport: transport(policy)))
    }

    func instance(at url: URL, _ policy: RetryPolicy = .standard) -> PixelfedClient {
        PixelfedClient(instance: url, accessToken: "the-access-token", transport: transport(policy))
    }
}
