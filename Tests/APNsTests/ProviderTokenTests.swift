import Crypto
import Foundation
import Glibc
import RelayTesting
import Testing

@testable import APNs

@Suite("Apple: the provider token") struct ProviderTokenTests {
    static let start: Int64 = 1_800_000_000
    let clock = ManualClock(now: start)
    let folder: TemporaryFolder
    let key: ProviderKey

    init() throws {
        folder = try TemporaryFolder()
        key = ProviderKey(privateKey: try P256PrivateKey(), keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
    }

    /// A token as the next start of the process would make it.
    private func token(key other: ProviderKey? = nil, bootID: String = "this boot") -> ProviderToken {
        let clock = clock
        return ProviderToken(
            key: other ?? key,
            clock: ProviderToken.Clock(now: { clock.now }, uptime: { clock.uptime }),
            file: TokenFile(path: folder.path("token"), bootID: bootID)
        )
    }

    @Test func `its three parts are the header, the claims and 64 octets of signature`() throws {
        let parts = try token().value().split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let header = try object(parts[0])
        let claims = try object(parts[1])
        #expect(header as NSDictionary == ["alg": "ES256", "kid": "ABC123DEFG"] as NSDictionary)
        #expect(claims as NSDictionary == ["iss": "DEF123GHIJ", "iat": Self.start] as NSDictionary)
        #expect(Base64URL.decode(parts[2].utf8)?.count == 64)
    }

    @Test func `it is the same for 45 minutes and then a new one`() throws {
        let token = token()
        let first = try token.value()
        clock.advance(by: 45 * 60 - 1)
        #expect(try token.value() == first)
        clock.advance(by: 1)
        #expect(try token.value() != first)
    }

    @Test func `an hour and a half of a push each second takes exactly two`() throws {
        let token = token()
        var tokens = Set<String>()
        for _ in 0..<(90 * 60) {
            tokens.insert(try token.value())
            clock.advance(by: 1)
        }
        #expect(tokens.count == 2)
        #expect(try !tokens.contains(token.value()))
    }

    @Test(arguments: [-7_200, 7_200] as [Int64])
    func `a step of the wall clock makes a new one, but not within 20 minutes of the last`(step: Int64) throws {
        let token = token()
        let first = try token.value()
        clock.advance(by: 60)
        clock.set(now: clock.now + step)
        #expect(try token.value() == first)
        clock.advance(by: 19 * 60 - 1)
        #expect(try token.value() == first)
        clock.advance(by: 1)
        let second = try token.value()
        #expect(second != first)
        clock.advance(by: 20 * 60)
        #expect(try token.value() == second)
    }

    @Test func `a wall clock that stands still does not keep it alive`() throws {
        let token = token()
        let first = try token.value()
        clock.advance(by: 45 * 60)
        clock.set(now: Self.start)
        // The claims are of the same second, but ECDSA signs with a fresh random number.
        #expect(try token.value() != first)
    }

    @Test func `a hundred tasks share one`() async throws {
        let token = token()
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try token.value() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(values.count == 1)
    }

    @Test func `one that Apple calls expired is replaced once, however many were refused with it`() async throws {
        let token = token()
        let first = try token.value()
        clock.advance(by: 20 * 60)
        let renewed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { token.renew(afterRejectionOf: first) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(renewed == Array(repeating: true, count: 100))
        let second = try token.value()
        #expect(second != first)
        #expect(!token.renew(afterRejectionOf: second))
        #expect(try token.value() == second)
    }

    @Test func `one that is younger than 20 minutes is not replaced, whatever Apple calls it`() throws {
        let token = token()
        let first = try token.value()
        clock.advance(by: 20 * 60 - 1)
        #expect(!token.renew(afterRejectionOf: first))
        #expect(try token.value() == first)
    }

    @Test func `a restart goes on with the one there is, by its age`() throws {
        let first = try token().value()
        clock.advance(by: 30 * 60)
        #expect(try token().value() == first)
        clock.advance(by: 15 * 60)
        #expect(try token().value() != first)
    }

    @Test func `a restart of the machine knows its age by the wall clock`() throws {
        let first = try token().value()
        clock.advance(by: 44 * 60)
        #expect(try token(bootID: "another boot").value() == first)
        clock.advance(by: 60)
        #expect(try token(bootID: "another boot").value() != first)
    }

    @Test func `one that a command has made beside the relay is taken up, and not replaced by a third`() throws {
        let relay = token()
        let first = try relay.value()
        clock.advance(by: 50 * 60)
        let second = try token().value()
        #expect(second != first)
        #expect(try relay.value() == second)
        clock.advance(by: 44 * 60)
        #expect(try relay.value() == second)
        clock.advance(by: 60)
        #expect(try relay.value() != second)
    }

    @Test(.enabled("needs root") { geteuid() == 0 })
    func `its file belongs to the owner of its folder, whoever wrote it`() throws {
        try #require(chown(folder.url.path, 65_532, 65_532) == 0)
        _ = try token().value()
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("token"))
        #expect(attributes[.ownerAccountID] as? Int == 65_532)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `its file is for the relay alone and holds no key`() throws {
        _ = try token().value()
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("token"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let content = try Data(contentsOf: URL(filePath: folder.path("token")))
        #expect(content.range(of: Data(Base64URL.encode(key.privateKey.scalar).utf8)) == nil)
        #expect(content.range(of: Data(Hex.encode(key.privateKey.scalar).utf8)) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["token"])
    }

    @Test(arguments: [
        "", "{}", "junk", #"{"key":"x","token":"a\r\nb","issuedAt":1,"uptimeMilliseconds":1,"bootID":""}"#,
    ])
    func `a file that cannot be read is as good as none`(content: String) throws {
        try folder.write(content, to: "token")
        let first = try token().value()
        #expect(first.split(separator: ".").count == 3)
        #expect(try token().value() == first)
    }

    @Test func `another key, or the same under another name, signs a token of its own`() throws {
        let first = try token().value()
        let named = ProviderKey(privateKey: key.privateKey, keyID: "ZZZ123DEFG", teamID: "DEF123GHIJ")
        #expect(try token(key: named).value() != first)

        let token = token()
        #expect(!token.rotate(to: key))
        #expect(token.rotate(to: named))
        let header = try object(token.value().prefix { $0 != "." })
        #expect(header["kid"] as? String == "ZZZ123DEFG")
    }

    private func object(_ part: Substring) throws -> [String: Any] {
        let octets = try #require(Base64URL.decode(part.utf8))
        return try #require(JSONSerialization.jsonObject(with: Data(octets)) as? [String: Any])
    }
}
