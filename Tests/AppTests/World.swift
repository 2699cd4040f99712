import Foundation
import RelayClient
import RelayTesting

/// What an app lives among: a relay, Apple behind it, and an instance that finds its way to the relay.
struct World: Sendable {
    let apple: AppleSimulator
    let relay: RunningRelay
    let pixelfed: PixelfedSimulator

    /// - Parameter settings: variables of the relay that differ from what an operator would set.
    init(_ settings: [String: String] = [:]) async throws {
        apple = try await .shared()
        relay = try await RunningRelay(apple: apple, settings)
        pixelfed = try await PixelfedSimulator()
        try await pixelfed.resolve(to: relay.address)
    }

    func phone(deviceToken: String = freshToken()) -> Phone { Phone(relay.url, deviceToken: deviceToken) }

    /// What a phone has been sent so far.
    func notifications(on phone: Phone) async throws -> [AppleRequest] {
        try await apple.requests(for: phone.deviceToken)
    }

    /// The badges of what a phone has been sent; nil for one that leaves the badge as it is.
    func badges(on phone: Phone) async throws -> [Int?] {
        try await notifications(on: phone).map(\.badge)
    }
}

extension AppleRequest {
    /// What the app reads in it when the notification is tapped.
    var tapped: PushPayload? {
        let object = try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any]
        return object.flatMap { PushPayload(userInfo: $0) }
    }
}
