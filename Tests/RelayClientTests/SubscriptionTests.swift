import Foundation
import Testing

@testable import RelayClient

struct SubscriptionTests {
    /// What an app may have in its keychain: it never changes.
    static let kept = """
        {"account":"alice@pixels.example","auth":"aaaaaaaaaaaaaaaaaaaaaa",\
        "deviceToken":"AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tk=",\
        "endpoint":"https://push.example.org/wp/q83vEjRWeJCrze8SNFZ4kA","id":"q83vEjRWeJCrze8SNFZ4kA",\
        "p256dh":"Bpppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp"}
        """

    @Test func `what is kept is read again, and is written the same way`() throws {
        let subscription = try Example.subscription()
        #expect(try JSONDecoder().decode(PushSubscription.self, from: Data(Self.kept.utf8)) == subscription)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(try String(decoding: encoder.encode(subscription), as: UTF8.self) == Self.kept)
    }

    @Test func `an account may be missing`() throws {
        let kept = Self.kept.replacingOccurrences(of: "\"account\":\"alice@pixels.example\",", with: "")
        #expect(try JSONDecoder().decode(PushSubscription.self, from: Data(kept.utf8)).account == nil)
    }

    @Test(arguments: [
        ("\"id\":\"q83v", "\"id\":\"../q83v"), ("\"id\":\"q83vEjRWeJCrze8SNFZ4kA\"", "\"id\":\"\""),
        ("https://push", "file://push"), ("https://push.example.org", ""), ("\"auth\":\"a", "\"auth\":\"aa"),
        ("\"auth\":\"aa", "\"auth\":\"a="), ("\"Bp", "\"B"), ("\"AAcO", "\"=A"),
    ])
    func `what is damaged is not read`(good: String, bad: String) {
        let kept = Self.kept.replacingOccurrences(of: good, with: bad)
        #expect(kept != Self.kept)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(PushSubscription.self, from: Data(kept.utf8)) }
    }

    /// Everything that Swift makes of a value by itself.
    private static func printed(_ value: some Sendable) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        dump([value], to: &dumped)
        return "\(value) \([value]) \(Optional(value) as Any) \(String(reflecting: value)) \(dumped)"
    }

    @Test func `printing a subscription shows its host and no secret`() throws {
        let printed = try Self.printed(Example.subscription())
        #expect(printed.contains("push.example.org"))
        for secret in [Example.id, Example.auth, Example.p256dh, "wp", "32 bytes"] {
            #expect(!printed.contains(secret))
        }
    }

    @Test func `printing a client or a registration shows no secret`() throws {
        let url = try #require(URL(string: "https://push.example.org"))
        #expect(!Self.printed(RelayClient(url: url, subscribeToken: "the-token")).contains("the-token"))
        #expect(!Self.printed(PixelfedClient(instance: url, accessToken: "the-token")).contains("the-token"))
        let answer = "{\"id\":7,\"endpoint\":\"https://push.example.org/wp/secret\",\"server_key\":null}"
        let stored = try JSONDecoder().decode(PixelfedClient.Registration.Wire.self, from: Data(answer.utf8))
        #expect(!Self.printed(PixelfedClient.Registration(stored)).contains("secret"))
    }
}
