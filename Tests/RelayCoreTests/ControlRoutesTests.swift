import Crypto
import Foundation
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite("The operator's commands") struct ControlRoutesTests {
    private let folder: TemporaryFolder
    private let store: Store
    private let routes: ControlRoutes

    init() throws {
        folder = try TemporaryFolder()
        let files = StoreFiles(database: folder.path("relay.sqlite"))
        store = try Store(files, busyTimeout: 0, now: 1_800_000_000)
        routes = ControlRoutes(alone: store, files: files, backups: nil)
    }

    private func post(_ path: String) async -> (status: Int, text: String) {
        let head = Head(method: "POST", target: Array(path.utf8))
        let response = await routes.respond(to: Request(head: head, body: []))
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    /// Registers a subscription whose digest is these octets and as many zeros as are missing.
    private func register(_ digest: [UInt8], label: String) async throws {
        let id = SubscriptionID(digest: digest + [UInt8](repeating: 0, count: 32 - digest.count))
        let registration = Registration(
            id: id,
            deviceToken: String(repeating: "ab", count: 32),
            account: label,
            label: label,
            privateKey: [UInt8](repeating: 7, count: 32),
            authSecret: [UInt8](repeating: 9, count: 16),
            createdAt: 0
        )
        _ = try await store.register(registration)
    }

    @Test func `of two with the same eight digits each is named by all of its digits, and only that one is meant`()
        async throws
    {
        try await register([1, 2, 3, 4, 5], label: "first")
        try await register([1, 2, 3, 4, 6], label: "second\n")
        let zeros = String(repeating: "0", count: 54)
        let (first, second) = ("0102030405" + zeros, "0102030406" + zeros)
        for command in ["remove", "test"] {
            let answer = await post("/subscriptions/01020304/\(command)")
            #expect(answer.status == 409)
            #expect(answer.text.contains("\(first) (first, first), \(second) (second?, second?)"))
        }
        let removed = await post("/subscriptions/\(second)/remove")
        #expect(removed.status == 200)
        #expect(removed.text.contains(#""label":"second\n""#))
        #expect(try await store.summaries().map(\.label) == ["first"])
        #expect(await post("/subscriptions/01020304/remove").status == 200)
    }

    @Test func `what is no hash or nobody's is said to be so`() async throws {
        try await register([1, 2, 3, 4], label: "first")
        #expect(await post("/subscriptions/0102030/remove").status == 400)
        #expect(await post("/subscriptions/01020305/remove").status == 404)
        #expect(try await store.count() == 1)
    }
}
