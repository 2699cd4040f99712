import APNs
import Crypto
import Foundation
import RelayTesting
import Testing

@Suite("Apple: the provider token") struct ProviderTokenTests {
    let clock = ManualClock(now: 1_800_000_000)

    private func token() throws -> ProviderToken {
        let clock = clock
        let key = ProviderKey(privateKey: try P256PrivateKey(), keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        return ProviderToken(key: key, now: { clock.now }, uptime: { clock.uptime })
    }

    @Test func `its three parts are the header, the claims and 64 octets of signature`() throws {
        let parts = try token().value().split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let header = try object(parts[0])
        let claims = try object(parts[1])
        #expect(header as NSDictionary == ["alg": "ES256", "kid": "ABC123DEFG"] as NSDictionary)
        #expect(claims as NSDictionary == ["iss": "DEF123GHIJ", "iat": 1_800_000_000] as NSDictionary)
        #expect(Base64URL.decode(parts[2].utf8)?.count == 64)
    }

    @Test func `it is the same for 45 minutes and then a new one`() throws {
        let token = try token()
        let first = try token.value()
        clock.advance(by: 45 * 60 - 1)
        #expect(try token.value() == first)
        clock.advance(by: 1)
        #expect(try token.value() != first)
    }

    @Test func `it is new when the wall clock was set back or far forward`() throws {
        let token = try token()
        let first = try token.value()
        clock.set(now: 1_800_000_000 - 7_200)
        let second = try token.value()
        #expect(second != first)
        clock.set(now: 1_800_000_000 + 7_200)
        #expect(try token.value() != second)
    }

    @Test func `a wall clock that stands still does not keep it alive`() throws {
        let token = try token()
        let first = try token.value()
        clock.advance(by: 45 * 60)
        clock.set(now: 1_800_000_000)
        // The claims are the same second, but ECDSA signs with a fresh random number.
        #expect(try token.value() != first)
    }

    @Test func `a hundred tasks share one`() async throws {
        let token = try token()
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try token.value() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(values.count == 1)
    }

    private func object(_ part: Substring) throws -> [String: Any] {
        let octets = try #require(Base64URL.decode(part.utf8))
        return try #require(JSONSerialization.jsonObject(with: Data(octets)) as? [String: Any])
    }
}
