import APNs
import Foundation
import RelayTesting
import Testing

@testable import RelayCore

@Suite struct CheckLineTests {
    private static let keys = Vectors.repository.appending(path: "Tests/Vectors/keys")
    private static let now: Int64 = 1_800_000_000

    private func key(_ name: String, mode: UInt32 = 0o600) throws -> Result<File, FileError> {
        .success(File(octets: Array(try Data(contentsOf: Self.keys.appending(path: name))), mode: mode))
    }

    // Configuration.

    @Test func `each variable that is set has a line with its value, but for secrets`() {
        let lines = CheckLine.configuration([
            "PUBLIC_URL": "https://push.example.org", "SUBSCRIBE_TOKEN": "first-secret,second-secret",
            "APNS_KEY_ID": "ABC123DEFG", "SOUNDS": "", "PATH": "/usr/bin",
        ])
        #expect(
            lines == [
                CheckLine("PUBLIC_URL", .ok, "https://push.example.org"),
                CheckLine("SUBSCRIBE_TOKEN", .ok, "2 tokens, not shown"),
                CheckLine("APNS_KEY_ID", .ok, "ABC123DEFG"),
            ]
        )
    }

    @Test func `what is wrong with a variable takes the place of its value`() {
        let lines = CheckLine.configuration(
            ["APNS_TEAM_ID": "abc", "SUBSCRIBE_TOKEN": "short"],
            problems: [
                Problem(variable: .databasePath, text: "is missing: set it to the path of the SQLite file"),
                Problem(variable: .apnsTeamID, text: "is not ten: copy it from developer.apple.com"),
            ],
            warnings: [Problem(variable: .subscribeToken, text: "holds a short one: make one")]
        )
        #expect(
            lines == [
                CheckLine("DB_PATH", .failed, "is missing", remedy: "set it to the path of the SQLite file"),
                CheckLine("SUBSCRIBE_TOKEN", .warning, "holds a short one", remedy: "make one"),
                CheckLine("APNS_TEAM_ID", .failed, "is not ten", remedy: "copy it from developer.apple.com"),
            ]
        )
    }

    @Test func `a name that is no variable is warned of without its value`() {
        let lines = CheckLine.configuration([:], unknown: ["SUBSCRIBE_TOKNE"])
        #expect(
            lines == [
                CheckLine("SUBSCRIBE_TOKNE", .warning, "is no variable of the relay", remedy: "check its spelling")
            ]
        )
    }

    @Test(arguments: Variable.allCases)
    func `every fault that a variable can have is cut into what is wrong and what to do`(variable: Variable) {
        var variables = Dictionary(uniqueKeysWithValues: Variable.allCases.map { ($0.rawValue, "\u{1}") })
        variables[variable.rawValue] = nil
        #expect { try Configuration(variables: variables) } throws: { error in
            guard let problems = error as? Problems else { return false }
            return problems.all.allSatisfy { problem in
                let line = CheckLine(problem.variable.rawValue, .failed, sentence: problem.text)
                return !line.text.isEmpty && line.remedy?.isEmpty == false
            }
        }
    }

    // The key's file.

    @Test(arguments: ["p256-pkcs8.pem", "p256-sec1.pem"])
    func `a P-256 key that is its owner's alone is well`(name: String) throws {
        let line = CheckLine.keyFile("/etc/relay/AuthKey.p8", try key(name), keyID: "ABC123DEFG")
        #expect(line == CheckLine("key file", .ok, "P-256, mode 600"))
    }

    @Test(arguments: ["p384.pem", "rsa.pem", "certificate.pem", "p256-public.pem", "p256-encrypted.pem"])
    func `anything else is no key`(name: String) throws {
        let line = CheckLine.keyFile("/k.p8", try key(name), keyID: nil)
        #expect(line.state == .failed)
        #expect(line.text == "is no P-256 private key (/k.p8)")
        #expect(line.remedy == "download the .p8 file from developer.apple.com again")
    }

    @Test(
        arguments: [
            (0o604, "can be read by every user of this machine (mode 604)"),
            (0o640, "can be read by its group (mode 640)"),
        ] as [(UInt32, String)]
    )
    func `one that others can read is warned of`(mode: UInt32, text: String) throws {
        let line = CheckLine.keyFile("/k.p8", try key("p256-pkcs8.pem", mode: mode), keyID: nil)
        #expect(line == CheckLine("key file", .warning, text, remedy: "run `chmod 600` on it"))
    }

    @Test func `one that systemd hands over is well, though its group seems to read it`() throws {
        let path = "/run/credentials/relay.service/apns.p8"
        let line = CheckLine.keyFile(path, try key("p256-pkcs8.pem", mode: 0o440), keyID: nil)
        #expect(line == CheckLine("key file", .ok, "P-256, mode 440"))
    }

    @Test func `one whose name tells of another key id is warned of`() throws {
        let file = try key("p256-pkcs8.pem")
        let line = CheckLine.keyFile("/etc/AuthKey_ZZZ123DEFG.p8", file, keyID: "ABC123DEFG")
        #expect(line.state == .warning)
        #expect(line.text == "is named for key ZZZ123DEFG, and APNS_KEY_ID is ABC123DEFG")
        #expect(line.remedy?.contains("APNS_KEY_ID") == true)
        #expect(CheckLine.keyFile("/etc/AuthKey_ABC123DEFG.p8", file, keyID: "ABC123DEFG").state == .ok)
    }

    @Test(arguments: [ENOENT, EACCES, EISDIR, EIO])
    func `one that cannot be read is failed`(code: Int32) {
        let line = CheckLine.keyFile("/k.p8", .failure(FileError("/k.p8", code)), keyID: nil)
        #expect(line.state == .failed)
        #expect(line.text.contains("/k.p8"))
        #expect(line.remedy?.isEmpty == false)
    }

    // The clock.

    @Test(
        arguments: [
            (0, .ok), (2, .ok), (-30, .ok), (30, .ok), (31, .warning), (-31, .warning), (300, .warning), (301, .failed),
            (-301, .failed), (3_600, .failed), (Int64.max - now, .failed),
        ] as [(Int64, CheckLine.State)]
    )
    func `the clock may be 30 s off, and not more than 5 min`(ahead: Int64, state: CheckLine.State) {
        let line = CheckLine.clock(Self.now, now: Self.now + ahead)
        #expect(line.state == state)
        #expect((line.remedy?.contains("timedatectl") == true) == (state != .ok))
        if ahead.magnitude > 2 {
            #expect(line.text == "\(ahead.magnitude) s \(ahead < 0 ? "behind" : "ahead of") Apple's")
        }
    }

    @Test func `a date of Apple's that cannot be does not trap`() {
        #expect(CheckLine.clock(.min, now: .max).state == .failed)
        #expect(CheckLine.clock(.max, now: .min).state == .failed)
        #expect(CheckLine.clock(nil, now: 0).state == .skipped)
    }

    // Certificate authorities.

    @Test func `authorities are counted, and their absence is failed`() {
        let pem = Array("-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n".utf8)
        let ok = CheckLine.authorities("/ca.pem", .success(File(octets: pem + pem, mode: 0o644)))
        #expect(ok == CheckLine("certificate authorities", .ok, "2 in /ca.pem"))
        let none = CheckLine.authorities("/ca.pem", .success(File(octets: [], mode: 0o644)))
        #expect((none.state, none.remedy) == (.failed, "install the package ca-certificates"))
        let gone = CheckLine.authorities("/ca.pem", .failure(FileError("/ca.pem", ENOENT)))
        #expect((gone.state, gone.remedy) == (.failed, "install the package ca-certificates"))
        #expect(gone.text == "the file does not exist (/ca.pem)")
    }

    // Apple's hosts.

    @Test func `a host that answers in HTTP/2 is well, and in HTTP/1.1 it is not Apple`() {
        var answer = ProbeAnswer(status: 405, isHTTP2: true, address: "17.188.1.1")
        #expect(CheckLine.apple("Apple production", host: "api.push.apple.com", .success(answer)).state == .ok)
        answer.isHTTP2 = false
        let line = CheckLine.apple("Apple production", host: "api.push.apple.com", .success(answer))
        #expect(line.state == .failed)
        #expect(line.remedy?.contains("proxy") == true)
    }

    @Test(
        arguments: [
            (.notResolved("x"), "name servers"), (.cannotConnect("x"), "port 443"), (.timedOut, "port 443"),
            (.refusedTLS(TLSRefusal(fault: .notTrusted, reason: "x")), "ca-certificates"),
            (.refusedTLS(TLSRefusal(fault: .expired, reason: "x")), "clock"),
            (.refusedTLS(TLSRefusal(fault: .notYetValid, reason: "x")), "clock"),
            (.refusedTLS(TLSRefusal(fault: .wrongName, reason: "x")), "proxy"),
            (.refusedTLS(TLSRefusal(fault: .handshake, reason: "x")), "proxy"), (.other("x"), "try again"),
        ] as [(ProbeError, String)]
    )
    func `a host that does not answer is failed with what to look at`(error: ProbeError, word: String) {
        let line = CheckLine.apple("Apple sandbox", host: "api.sandbox.push.apple.com", .failure(error))
        #expect(line.state == .failed)
        #expect(line.text.hasPrefix("api.sandbox.push.apple.com: "))
        #expect(line.remedy?.contains(word) == true)
    }

    // The provider token.

    @Test(
        arguments: [
            (400, "BadDeviceToken", .ok, nil), (400, "DeviceTokenNotForTopic", .failed, "APNS_TOPIC"),
            (400, "TopicDisallowed", .failed, "APNS_TOPIC"), (400, "BadTopic", .failed, "APNS_TOPIC"),
            (403, "InvalidProviderToken", .failed, "APNS_KEY_FILE, APNS_KEY_ID and APNS_TEAM_ID"),
            (403, "ExpiredProviderToken", .failed, "clock"),
            (403, "BadEnvironmentKeyIdInToken", .failed, "APNS_ENVIRONMENT"),
            (403, "BadEnvironmentKeyInToken", .failed, "APNS_ENVIRONMENT"),
            (403, "SomethingNew", .failed, "look the word up"),
            (410, "Unregistered", .failed, "nothing"),
            (429, "TooManyProviderTokenUpdates", .warning, "another program"),
            (503, "ServiceUnavailable", .warning, "system-status"),
        ] as [(Int, String, CheckLine.State, String?)]
    )
    func `Apple's word on the token is read`(status: Int, word: String, state: CheckLine.State, remedy: String?) {
        let outcome = Outcome(Rejection(status: status, word: word))
        let line = CheckLine.providerToken(outcome, environment: "Apple's production", now: Self.now)
        #expect(line.state == state)
        guard let remedy else { return #expect(line.remedy == nil) }
        #expect(line.text.contains(word))
        #expect(line.remedy?.contains(remedy) == true, "\(line.remedy ?? "")")
    }

    @Test(
        arguments: [
            .accepted, .tryAgain(.transport(.deadline(waiting: false))), .tryAgain(.noThread),
            .misconfigured(.transport(.notHTTP2)), .misconfigured(.transport(.unsigned)),
            .tryAgain(.transport(.failed(code: 7, text: "x"))),
        ] as [Outcome]
    )
    func `no word of Apple's is failed, and so is one that takes the notification`(outcome: Outcome) {
        let line = CheckLine.providerToken(outcome, environment: "Apple's production", now: Self.now)
        #expect(line.state == .failed)
        #expect(line.remedy?.isEmpty == false)
        // Nobody sends anything here.
        #expect(line.remedy?.contains("sender") == false)
    }

    @Test func `the device that cannot exist is of the usual length and the alert of the usual form`() throws {
        let notification = try #require(try Notification.forNobody())
        #expect(notification.deviceToken.hex == String(repeating: "0", count: 64))
        #expect(notification.expiration == 0)
    }
}
