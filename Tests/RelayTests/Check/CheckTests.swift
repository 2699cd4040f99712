import APNs
import Crypto
import Foundation
import RelayCore
import RelayTesting
import Testing

@testable import relay

@Suite(.fewAtATime) struct CheckTests {
    /// What a device that cannot exist is called.
    private static let nobody = String(repeating: "0", count: 64)

    @Test func `the provider token is tried on a device that cannot exist, and it is the relay's own`() async throws {
        let apple = try await AppleSimulator()
        let relay = try await CheckedRelay(apple: apple)
        let first = try await relay.check()
        #expect(first["provider token"]?.state == "ok", "\(first.text)")
        _ = try await relay.check()
        let tokens = try await apple.requests(for: Self.nobody).map(\.providerToken)
        #expect(tokens.count == 2)
        #expect(Set(tokens).count == 1)

        let program = try await RelayProgram(apple: apple, in: relay.folder)
        let device = freshToken()
        #expect(try await program.push(to: program.subscribe(device)).status == 201)
        #expect(try await apple.requests(for: device).map(\.providerToken) == [tokens[0]])
    }

    @Test(
        arguments: [
            (.apnsKeyID, "ZZZ123DEFG", "InvalidProviderToken", "APNS_KEY_ID"),
            (.apnsTeamID, "ZZZ123GHIJ", "InvalidProviderToken", "APNS_TEAM_ID"),
            (.apnsTopic, "org.example.other", "DeviceTokenNotForTopic", "APNS_TOPIC"),
        ] as [(Variable, String, String, String)]
    )
    func `a key, a team or a topic that Apple does not take is named`(
        variable: Variable,
        value: String,
        word: String,
        remedy: String
    ) async throws {
        let run = try await CheckedRelay(apple: .shared()).check([variable: value])
        let line = try #require(run["provider token"])
        #expect(line.state == "failed")
        #expect(line.text.contains(word))
        #expect(line.remedy?.contains(remedy) == true)
        #expect(!run.isOK)
    }

    @Test(arguments: [(0, "ok"), (120, "warning"), (-120, "warning"), (1_000, "failed"), (-1_000, "failed")])
    func `the clock is compared with Apple's`(offset: Int, state: String) async throws {
        let run = try await CheckedRelay(apple: AppleSimulator("--date-offset", "\(offset)")).check()
        #expect(run["clock"]?.state == state)
    }

    @Test(arguments: [
        ("--certificate", "expired", "clock"), ("--certificate", "wrong-authority", "ca-certificates"),
        ("--certificate", "wrong-host", "in Apple's place"), ("--alpn", "http/1.1", "in Apple's place"),
    ])
    func `whoever answers in Apple's place is seen`(option: String, value: String, remedy: String) async throws {
        let run = try await CheckedRelay(apple: AppleSimulator(option, value)).check()
        let line = try #require(run["Apple's substitute"])
        #expect(line.state == "failed")
        #expect(line.remedy?.contains(remedy) == true)
        #expect(run["provider token"]?.state == "failed")
    }

    @Test func `offline nothing is asked of the network, and the rest is looked at`() async throws {
        let apple = try await AppleSimulator()
        let relay = try await CheckedRelay(apple: apple)
        let run = try await relay.check(isOffline: true)
        let left = ["clock", "Apple's substitute", "provider token"]
        let leftOutside = ["public URL", "public addresses", "public certificate", "public way in"]
        #expect(run.names("skipped") == left + leftOutside)
        #expect(run.names("ok").suffix(4) == ["database", "database disk", "backups", "backup disk"])
        #expect(run.isOK)
        #expect(try await apple.counts().sockets == 0)
    }

    @Test func `a configuration that does not hold is told in full, and what needs it waits`() async throws {
        let relay = try await CheckedRelay(apple: .shared())
        let run = try await relay.check([.publicURL: "ftp://x", .apnsTopic: nil], others: "SUBSCRIBE_TOKNE=secret\n")
        #expect(run.names("failed") == ["PUBLIC_URL", "APNS_TOPIC"])
        #expect(run["SUBSCRIBE_TOKNE"]?.state == "warning")
        #expect(run["key file"]?.state == "ok")
        #expect(run["database"]?.state == "ok")
        #expect(run["provider token"]?.text == "mend the configuration first")
        #expect(!run.isOK)
    }

    @Test func `what is wrong elsewhere says nothing untrue of database and backups`() async throws {
        let relay = try await CheckedRelay(apple: .shared())
        let elsewhere = try await relay.check([.publicURL: "ftp://x"])
        #expect(elsewhere["backups"]?.state == "ok", "\(elsewhere.text)")
        #expect(elsewhere["backup disk"]?.state == "ok")
        let plan = try await relay.check([.backupKeep: "0"])
        #expect(plan["database"]?.state == "ok")
        #expect(plan["backups"]?.state == "skipped")
        #expect(plan["backups"]?.text == "mend the configuration first")
        #expect(try await relay.check([.databasePath: nil])["database"]?.text == "set DB_PATH first")
    }

    @Test func `no key and no token is in what it prints, in any spelling`() async throws {
        let apple = try await AppleSimulator()
        let relay = try await CheckedRelay(apple: apple)
        var secrets = SecretSearch()
        secrets.add("subscribe token", text: RelayProgram.subscribeToken)
        let pem = try Data(contentsOf: URL(filePath: apple.ready.key))
        secrets.add("key", try P256PrivateKey(pem: Array(pem)).scalar)
        for line in String(decoding: pem, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("-") {
            secrets.add("key file", line.utf8)
        }
        for isJSON in [false, true] {
            // A token at the wrong variable is not repeated either.
            let misplaced: [Variable: String?] = [.publicURL: RelayProgram.subscribeToken]
            for changes in [[:], [.apnsKeyID: "ZZZ123DEFG"], misplaced] {
                let run = try await relay.check(changes, isJSON: isJSON)
                #expect(secrets.found(in: Data(run.text.utf8)) == [])
            }
        }
        struct Kept: Decodable { let token: String }
        let kept = try Data(contentsOf: URL(filePath: relay.folder.path("relay.sqlite.provider-token")))
        secrets.add("provider token", text: try JSONDecoder().decode(Kept.self, from: kept).token)
        let last = try await relay.check(isJSON: false)
        #expect(secrets.found(in: Data(last.text.utf8)) == [])
        #expect(last.text.contains("SUBSCRIBE_TOKEN"))
    }
}

@Suite(
    .fewAtATime,
    .enabled("needs /usr/sbin/nginx, /usr/bin/curl and /usr/bin/openssl") { Nginx.canRun }
)
struct PublicURLCheckTests {
    @Test func `where everything is well nothing has failed or is warned of`() async throws {
        let relay = try await CheckedRelay(apple: .shared(), certificate: [])
        let run = try await relay.check()
        #expect(run.names("failed") == [])
        #expect(run.names("warning") == [])
        #expect(run.isOK)
        #expect(run["public certificate"]?.text == "trusted, 60 days left, from CN = Test authority")
        #expect(
            run["public way in"]?.text.hasPrefix("this relay answers at https://push.example.org/wp/ after ") == true
        )
        let text = try await relay.check(isJSON: false).text
        #expect(text.split(separator: "\n").count == run.lines.count)
    }

    @Test(
        arguments: [
            (["--days", "14"], "ok", "14 days left", nil),
            (["--days", "13"], "warning", "13 days left", "certbot renew"),
            (["--days", "3"], "warning", "3 days left", "certbot renew"),
            (["--days", "2"], "failed", "2 days left", "certbot renew"),
            (["--days", "-3"], "failed", "expired, for 3 days: CN = push.example.org", "certbot renew"),
            (["--self-signed"], "failed", "not trusted (", "fullchain.pem"),
            (
                ["--host", "elsewhere.example"], "failed", "for another name: CN = elsewhere.example",
                "push.example.org"
            ),
        ] as [([String], String, String, String?)]
    )
    func `the certificate is looked at`(
        options: [String],
        state: String,
        text: String,
        remedy: String?
    ) async throws {
        let run = try await CheckedRelay(apple: .shared(), certificate: options).check()
        let line = try #require(run["public certificate"])
        #expect(line.state == state)
        #expect(line.text.contains(text), "\(line.text)")
        #expect(remedy.map { line.remedy?.contains($0) == true } ?? (line.remedy == nil))
        #expect(run.isOK == (state != "failed"))
    }

    @Test func `a relay that does not run is what is wrong, and not the way to it`() async throws {
        let run = try await CheckedRelay(apple: .shared(), certificate: []).check(announced: .success(nil))
        #expect(run.names("failed") == ["public way in"])
        #expect(run["public way in"]?.text == "the relay does not run")
        #expect(run["public way in"]?.remedy?.hasPrefix("start it") == true)
    }

    @Test func `a relay that cannot be asked is not one that does not run`() async throws {
        let reason = Check.Unavailable("too many tests are under way: try again in a minute")
        let run = try await CheckedRelay(apple: .shared(), certificate: []).check(announced: .failure(reason))
        #expect(run.names("failed") == ["public way in"])
        #expect(run["public way in"]?.text == "too many tests are under way")
        #expect(run["public way in"]?.remedy == "try again in a minute")
    }

    @Test func `the relay that runs answers a probe that comes in through nginx`() async throws {
        let apple = try await AppleSimulator.shared()
        let program = try await RelayProgram(apple: apple)
        let nginx = try await Nginx(before: program)
        let lines = RelayProgram.environment(apple, in: program.folder).byName.map { "\($0)=\($1)\n" }.joined()
        let file = try program.folder.write(lines, to: "relay.env")
        let world = CheckedRelay.world(
            apple: apple,
            peer: nginx.secureAddress,
            authority: nginx.folder.path("fullchain.pem")
        )
        let check = { @Sendable () throws -> CheckedRelay.Run in
            guard case .run(let arguments) = try Arguments.parse(["check", "--env-file", file, "--json"]).get() else {
                throw Nginx.Failure(description: "no command")
            }
            let result = try relay.check(arguments, world: world)
            return CheckedRelay.Run(text: result.text, isOK: result.isOK)
        }
        for _ in 0..<2 {
            let run = try await onThread(check)
            #expect(run["public way in"]?.state == "ok", "\(run["public way in"]?.text ?? run.text)")
        }
        #expect(await program.stop() == 0)
        #expect(try await onThread(check)["public way in"]?.text == "the relay does not run")
    }

    @Test func `an nginx that leads nowhere is told from a relay that does not run`() async throws {
        let run = try await CheckedRelay(apple: .shared(), certificate: [], answer: nil).check()
        #expect(run["public way in"]?.text.contains("answers 502") == true)
        #expect(run["public way in"]?.remedy?.contains("proxy_pass") == true)
    }

    @Test func `another relay at the public URL is not taken for this one`() async throws {
        let run = try await CheckedRelay(apple: .shared(), certificate: [], answer: Array("another".utf8)).check()
        #expect(run["public way in"]?.text.hasSuffix("answers 200, and it is not this relay that does") == true)
        #expect(run["public way in"]?.remedy?.contains("server_name") == true)
    }

    @Test func `a port where nobody listens is told with what to look at`() async throws {
        let run = try await CheckedRelay(apple: .shared()).check()
        for name in ["public certificate", "public way in"] {
            #expect(run[name]?.state == "failed")
            #expect(run[name]?.remedy?.contains("nginx runs") == true)
        }
    }

    @Test(arguments: [["10.0.0.1"], ["93.184.215.14", "fd00::1"], []])
    func `an address that Pixelfed refuses fails, also beside one that it takes`(addresses: [String]) async throws {
        let run = try await CheckedRelay(apple: .shared()).check(addresses: addresses)
        #expect(run["public addresses"]?.state == "failed")
        #expect(run["public addresses"]?.remedy?.contains("DNS") == true)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", "failed"), ("https://push.example.org:8443", "warning"),
        ("https://93.184.215.14", "warning"), ("https://[2606:2800::1]", "warning"),
    ])
    func `a URL that instances refuse is told`(url: String, state: String) async throws {
        let run = try await CheckedRelay(apple: .shared()).check([.publicURL: url])
        #expect(run["public URL"]?.state == state)
        #expect(run["public URL"]?.remedy?.contains("PUBLIC_URL") == true)
    }
}
