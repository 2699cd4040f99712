import APNs
import Foundation
import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore
@testable import Store

@Suite struct ConfigurationTests {
    private static let keyFile = Vectors.repository.appending(path: "Tests/Vectors/keys/p256-pkcs8.pem").path

    private static let complete = [
        "PUBLIC_URL": "https://push.example.org",
        "DB_PATH": "/var/lib/relay/relay.sqlite",
        "SUBSCRIBE_TOKEN": "0123456789abcdef",
        "APNS_KEY_FILE": keyFile,
        "APNS_KEY_ID": "ABC123DEFG",
        "APNS_TEAM_ID": "DEF123GHIJ",
        "APNS_TOPIC": "org.example.app",
    ]

    /// The configuration of a complete environment with one variable set otherwise, or taken out.
    private func configuration(_ variable: Variable, _ value: String?) throws(Problems) -> Configuration {
        var environment = Self.complete
        environment[variable.rawValue] = value
        return try Configuration(variables: environment)
    }

    private func problem(_ variable: Variable, _ value: String?) -> Problem? {
        do throws(Problems) {
            _ = try configuration(variable, value)
            return nil
        } catch {
            return error.all.count == 1 ? error.all.first : nil
        }
    }

    @Test func `by default it listens on loopback, has limits for a few devices, and logs at info as text`() throws {
        let configuration = try Configuration(variables: Self.complete)
        #expect("\(configuration.listenAddress)" == "127.0.0.1:8080")
        #expect(configuration.environment == .production)
        #expect(configuration.appleURL == nil)
        #expect(configuration.certificateAuthorities == nil)
        #expect(configuration.maxSubscriptions == 1_000)
        #expect(configuration.maxRegistrationsPerHour == 120)
        #expect(configuration.maxPushesAtOnce == 20)
        #expect(configuration.logLevel == .info)
        #expect(configuration.logFormat == .text)
        #expect(configuration.sounds == (try Sounds(parsing: "")))
        #expect(configuration.backups == nil)
        #expect(configuration.metricsAddress == nil)
    }

    @Test(arguments: [("1m", 60), ("90m", 5_400), ("24h", 86_400), ("7d", 604_800), ("30d", 2_592_000)])
    func `backups are made at an interval, and one of twice its age is a fault`(text: String, seconds: Int) throws {
        var environment = Self.complete
        environment["BACKUP_DIR"] = "/var/backups/relay"
        environment["BACKUP_INTERVAL"] = text
        let plan = try #require(try Configuration(variables: environment).backups)
        #expect(plan == BackupPlan(directory: "/var/backups/relay", interval: .seconds(seconds), keep: 14))
        #expect(plan.oldestHealthy == .seconds(2 * seconds))
    }

    @Test func `a variable of backups hinders only the commands that make a copy`() throws {
        let variables = ["DB_PATH": "/d/relay.sqlite", "BACKUP_DIR": "/backups", "BACKUP_KEEP": "0"]
        #expect(try StoreFiles(variables: variables).backups == nil)
        #expect(throws: Problems.self) { try StoreFiles(migrating: variables) }
        #expect(throws: Problems.self) { try BackupPlan.read(variables) }
        let mended = variables.merging(["BACKUP_KEEP": "1"]) { $1 }
        #expect(try StoreFiles(migrating: mended).backups != nil)
    }

    @Test(arguments: [
        ("9464", "127.0.0.1:9464", true), ("127.0.0.1:0", "127.0.0.1:0", true), ("[::1]:9464", "[::1]:9464", true),
        ("unix:/run/numbers.sock", "unix:/run/numbers.sock", true), ("0.0.0.0:9464", "0.0.0.0:9464", false),
        ("[::]:9464", "[::]:9464", false),
    ])
    func `numbers are served on loopback unless an address says otherwise, which is warned of`(
        text: String,
        address: String,
        isLocal: Bool
    ) throws {
        let configuration = try configuration(.metricsAddress, text)
        #expect(configuration.metricsAddress?.description == address)
        #expect(configuration.warnings.contains { $0.variable == .metricsAddress } != isLocal)
    }

    @Test func `an empty environment reports each required variable at once`() {
        do throws(Problems) {
            _ = try Configuration(variables: [:])
            Issue.record("it was taken")
        } catch {
            #expect(
                error.all.map(\.variable) == [
                    .publicURL, .databasePath, .subscribeToken, .apnsKeyFile, .apnsKeyID, .apnsTeamID, .apnsTopic,
                ]
            )
            #expect(error.all.allSatisfy { $0.text.hasPrefix("is missing: set it to ") })
        }
    }

    @Test func `wrong values and missing ones are reported together, each in one line that names its variable`() {
        var environment = Self.complete
        environment["PUBLIC_URL"] = "push.example.org"
        environment["APNS_TOPIC"] = nil
        environment["LOG_LEVEL"] = "loud"
        do throws(Problems) {
            _ = try Configuration(variables: environment)
            Issue.record("it was taken")
        } catch {
            #expect(error.all.map(\.variable) == [.publicURL, .apnsTopic, .logLevel])
            for problem in error.all {
                #expect(problem.description.hasPrefix(problem.variable.rawValue))
                #expect(!problem.description.contains("\n"))
                #expect(problem.text.contains(": "))
            }
        }
    }

    @Test(arguments: [
        (Variable.publicURL, "http://push.example.org"), (.publicURL, "ftp://push.example.org"),
        (.publicURL, "https://push.example.org/relay"), (.publicURL, "https://push.example.org?x"),
        (.publicURL, "https://user@push.example.org"), (.publicURL, "https://"), (.publicURL, "https://a b"),
        (.publicURL, "https://push.example.org:0"), (.publicURL, "https://push.example.org:70000"),
        (.publicURL, "https://\(String(repeating: "a", count: 440)).example"), (.publicURL, "https://püsh.example"),
        (.listenAddress, "8080"), (.listenAddress, "localhost:8080"), (.listenAddress, "127.0.0.1"),
        (.listenAddress, "127.0.0.1:99999"), (.listenAddress, "::1:8080"), (.listenAddress, "unix:"),
        (.subscribeToken, ","), (.subscribeToken, "two words"), (.subscribeToken, "pässword"),
        (.maxSubscriptions, "0"), (.maxSubscriptions, "-1"), (.maxSubscriptions, "+7"), (.maxSubscriptions, "1e3"),
        (.maxSubscriptions, "1000001"), (.maxSubscriptions, "99999999999999999999"), (.maxSubscriptions, "٧"),
        (.maxRegistrationsPerHour, "0"), (.maxRegistrationsPerHour, "unlimited"), (.maxRegistrationsPerHour, "1.5"),
        (.maxPushesAtOnce, "0"), (.maxPushesAtOnce, "none"), (.maxPushesAtOnce, "1000001"),
        (.apnsKeyFile, "/nowhere/AuthKey.p8"), (.apnsKeyFile, "/"), (.apnsKeyFile, "/dev/null"),
        (.apnsKeyID, "short"), (.apnsKeyID, "abc123defg"), (.apnsKeyID, "ABC123DEF\n"),
        (.apnsTeamID, "ABCDEFGHIJK"), (.apnsTopic, "app"), (.apnsTopic, "org.example.app\r\nx: y"),
        (.apnsEnvironment, "Production"), (.apnsEnvironment, "development"),
        (.apnsURL, "http://127.0.0.1:1"), (.apnsURL, "https://apple.example/3/device"), (.apnsCAFile, "/nowhere.pem"),
        (.apnsCAFile, "/dev/null"),
        (.sounds, "like"), (.sounds, "like="), (.sounds, "=chime"), (.sounds, "like=a,like=b"), (.sounds, "like=ü"),
        (.backupDirectory, "backups"), (.backupInterval, "24"), (.backupInterval, "0h"), (.backupInterval, "31d"),
        (.backupInterval, "-1h"), (.backupInterval, "1.5h"), (.backupInterval, "30s"), (.backupKeep, "0"),
        (.backupKeep, "1001"), (.metricsAddress, "localhost:9464"), (.metricsAddress, "70000"),
        (.logLevel, "loud"), (.logFormat, "xml"),
    ])
    func `a wrong value is one problem that names its variable`(variable: Variable, value: String) {
        #expect(problem(variable, value)?.variable == variable)
    }

    @Test(arguments: ["p384", "rsa", "p256-encrypted", "p256-public", "certificate"])
    func `a key file that holds no P-256 private key is refused at the start`(name: String) {
        let path = Vectors.repository.appending(path: "Tests/Vectors/keys/\(name).pem").path
        #expect(problem(.apnsKeyFile, path)?.text.contains("P-256") == true)
    }

    @Test(arguments: [
        "https://push.example.org", "https://push.example.org/", "https://push.example.org:8443", "http://127.0.0.1:80",
        "http://localhost:8080", "http://[::1]:8080",
    ])
    func `an origin is taken, and a slash at its end overlooked`(url: String) throws {
        let expected = url.hasSuffix("/") ? String(url.dropLast()) : url
        #expect(try configuration(.publicURL, url).publicURL == expected)
    }

    @Test(arguments: ["127.0.0.1:0", "0.0.0.0:8080", "[::1]:8080", "unix:/run/relay.sock"])
    func `the listener takes IPv4, IPv6 in brackets and a path`(address: String) throws {
        #expect("\(try configuration(.listenAddress, address).listenAddress)" == address)
    }

    @Test(arguments: [("production", "https://api.push.apple.com"), ("sandbox", "https://api.sandbox.push.apple.com")])
    func `the environment chooses which of Apple's addresses is tried first`(name: String, origin: String) throws {
        #expect(try configuration(.apnsEnvironment, name).environment.origin == origin)
    }

    @Test func `APNS_URL stands in for both of Apple's addresses`() throws {
        #expect(try configuration(.apnsURL, "https://127.0.0.1:8443").appleURL == "https://127.0.0.1:8443")
    }

    @Test(arguments: Log.Level.allCases)
    func `each level of the log is taken`(level: Log.Level) throws {
        #expect(try configuration(.logLevel, level.rawValue).logLevel == level)
    }

    @Test func `tokens are compared as digests, all of one length, and a near miss is none`() throws {
        let tokens = try #require(
            SubscribeTokens(parsing: "a-token-of-the-app-0001,b,\(String(repeating: "c", count: 999))")
        )
        let kept = Mirror(reflecting: tokens).children.compactMap { $0.value as? [[UInt8]] }
        #expect(kept.map { $0.map(\.count) } == [[32, 32, 32]])
        for near in [
            "b-token-of-the-app-0001", "a-token-of-the-app-0002", "a-token-of-the-app-000", "a-token-of-the-app-00011",
            "A-token-of-the-app-0001", "", "c", "bb",
        ] {
            #expect(!tokens.admit(Array("Bearer \(near)".utf8)), "\(near)")
        }
        #expect(tokens.admit(Array("Bearer a-token-of-the-app-0001".utf8)))
    }

    @Test func `each of several subscribe tokens opens the app's routes`() throws {
        let tokens = try configuration(.subscribeToken, "the-old-token-0001, the-new-token-0002").subscribeTokens
        #expect(tokens.admit(Array("Bearer the-old-token-0001".utf8)))
        #expect(tokens.admit(Array("Bearer the-new-token-0002".utf8)))
        #expect(!tokens.admit(Array("Bearer the-old-token-0001,".utf8)))
        #expect(!tokens.admit(Array("Bearer the-old-token-0001, the-new-token-0002".utf8)))
    }

    @Test func `a token that is easy to guess is a warning and does not stop the start`() throws {
        for (token, warnings) in [("secret", 1), ("0123456789abcdef", 0), ("0123456789abcdef,secret", 1)] {
            let configuration = try configuration(.subscribeToken, token)
            #expect(configuration.warnings.count { $0.variable == .subscribeToken } == warnings)
        }
    }

    @Test(arguments: [(0o600, 0), (0o640, 0), (0o440, 0), (0o644, 1), (0o604, 1)])
    func `a key file that everybody can read is a warning`(mode: Int, warnings: Int) throws {
        let folder = try TemporaryFolder()
        let pem = try String(contentsOf: URL(filePath: Self.keyFile), encoding: .utf8)
        let path = try folder.write(pem, to: "AuthKey.p8", mode: mode)
        let configuration = try configuration(.apnsKeyFile, path)
        #expect(configuration.warnings.count { $0.variable == .apnsKeyFile } == warnings)
    }

    @Test func `no problem repeats a token or a key`() {
        let secret = "a secret with spaces"
        #expect(problem(.subscribeToken, secret)?.description.contains(secret) == false)
    }
}

@Suite struct EnvironmentFileTests {
    @Test func `lines are NAME=value, and comments, empty lines and quotes around a whole value are dropped`() throws {
        let file = """
            # a comment
              # another

            A=1
            B = two words
            C="quoted"
            D='it''s'
            E=
            F=a=b#c
            G="half
            """
        #expect(throws: EnvironmentFile.Malformed.self) { try EnvironmentFile.parse(Array(file.utf8)) }
        let variables = try EnvironmentFile.parse(Array(file.replacing("B = ", with: "B=").utf8))
        #expect(
            variables == [
                "A": "1", "B": "two words", "C": "quoted", "D": "it''s", "E": "", "F": "a=b#c", "G": "\"half",
            ]
        )
    }

    @Test func `lines may end in CR LF`() throws {
        #expect(try EnvironmentFile.parse(Array("A=1\r\nB=2\r\n".utf8)) == ["A": "1", "B": "2"])
    }

    @Test(arguments: [
        ("A=1\nB\n", 2), ("=1", 1), ("A=1\n\nA=2", 3), ("export A=1", 1), ("Ü=1", 1),
    ])
    func `a line that cannot be read is named by its number`(text: String, line: Int) {
        do throws(EnvironmentFile.Malformed) {
            _ = try EnvironmentFile.parse(Array(text.utf8))
            Issue.record("it was taken")
        } catch {
            #expect(error.line == line)
        }
    }

    @Test func `a file that is not UTF-8 is refused`() {
        #expect(throws: EnvironmentFile.Malformed.self) { try EnvironmentFile.parse([0x41, 0x3d, 0xff]) }
    }
}
