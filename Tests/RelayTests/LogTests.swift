import Crypto
import Foundation
import RelayCore
import RelayTesting
import Store
import Testing

@Suite(.fewAtATime) struct LogTests {
    private static let title = "A title for one pair of eyes"
    private static let text = "A text for one pair of eyes"
    private static let account = "alice@pixels.example"
    private static let label = "Alice's secret phone"

    @Test(arguments: ["text", "json"])
    func `every line of a whole session can be read by a program, and none holds a secret`(
        format: String
    ) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple, [.logLevel: "debug", .logFormat: format])
        let devices = ["ab", "dead", "fa119", "c0de13"].map { freshToken($0) }
        let endpoints = try await session(relay, devices)
        #expect(await relay.stop() == 0)

        let lines = relay.program.lines
        let events = lines.map { LogLine($0) }
        #expect(zip(lines, events).filter { $1 == nil }.map(\.0) == [])
        let expected: Set = [
            "started", "subscribed", "push_accepted", "device_gone", "push_failed", "apple_refuses_configuration",
            "refused", "unsubscribed", "stopping", "stopped",
        ]
        #expect(expected.subtracting(events.compactMap { $0?.event }) == [])
        #expect(events.allSatisfy { $0?.fields["time"] != nil && $0?.fields["level"] != nil })

        let log = (lines + relay.program.errors).joined(separator: "\n").lowercased()
        let secrets = try await secrets(endpoints, devices, relay) + [Self.title, Self.text, Self.account, Self.label]
        #expect(secrets.filter { log.contains($0.lowercased()) } == [])
        // A JWT begins with the base64url of `{"`.
        #expect(!lines.joined().contains("eyJ"))
    }

    /// Meets every outcome there is without waiting for one.
    private func session(_ relay: RelayProgram, _ devices: [String]) async throws -> [Endpoint] {
        let message = """
            {"notification_type":"mention","title":"\(Self.title)","body":"\(Self.text)","access_token":"eyJsecret"}
            """
        var endpoints: [Endpoint] = []
        for device in devices {
            let endpoint = try await relay.subscribe(device, account: Self.account, label: Self.label)
            endpoints.append(endpoint)
            _ = try await relay.push(message, to: endpoint)
            _ = try await relay.push(#"{"title":7,"body":"\#(Self.text)"}"#, to: endpoint)
            _ = try await relay.post(Array(Self.text.utf8), to: endpoint.path)
            _ = try await relay.post([], to: endpoint.path)
            for route in ["read", "unread", "badges", "absent"] {
                _ = try await relay.answer("POST", endpoint.settings(route), json: #"{"count":7,"enabled":true}"#)
                _ = try await relay.answer("POST", endpoint.settings(route), json: "{", token: "Wrong-Token")
            }
            _ = try await relay.answer("GET", endpoint.path)
            _ = try await relay.answer("GET", "\(endpoint.path)?id=\(endpoint.subscription_id)")
            _ = try await relay.answer("POST", "/subscribe", json: #"{"device_token":"\#(device)","label":7}"#)
        }
        // The rows stay for their keys to be looked up, but for one.
        _ = try await relay.answer("DELETE", endpoints[3].settings())
        return endpoints
    }

    /// Everything that the log must not hold, in hex and in base64url where it is octets.
    private func secrets(_ endpoints: [Endpoint], _ devices: [String], _ relay: RelayProgram) async throws -> [String] {
        let store = try Store(StoreFiles(database: relay.folder.path("relay.sqlite")))
        var octets: [[UInt8]] = []
        for endpoint in endpoints {
            octets += [endpoint.p256dh.octets, endpoint.auth.octets]
            let id = SubscriptionID(hashing: Array(endpoint.subscription_id.utf8))
            if let row = try await store.subscription(id) { octets.append(row.privateKey) }
        }
        // Those of the device that is gone and of the one that was taken away went with their rows.
        #expect(octets.count == endpoints.count * 3 - 2)
        let keyLines = try String(contentsOfFile: await AppleSimulator.shared().ready.key, encoding: .utf8)
            .split(separator: "\n").filter { !$0.hasPrefix("-----") }.map(String.init)
        return devices + endpoints.map(\.subscription_id) + octets.map { Hex.encode($0) }
            + octets.map { Base64URL.encode($0) } + keyLines + [RelayProgram.subscribeToken, "Wrong-Token"]
    }
}
