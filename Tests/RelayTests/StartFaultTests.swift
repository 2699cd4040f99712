import Foundation
import RelayCore
import RelayTesting
import Testing

/// A value that an operator might set by mistake; `{folder}` and `{keys}` stand for folders of the test.
private struct Fault: Sendable, CustomTestStringConvertible {
    let variable: Variable
    let value: String?
    let says: String
    var testDescription: String { "\(variable.rawValue)=\(value ?? "")" }

    init(_ variable: Variable, _ value: String?, says: String) {
        self.variable = variable
        self.value = value
        self.says = says
    }

    func value(in folder: TemporaryFolder) -> String? {
        value?.replacing("{folder}", with: folder.url.path).replacing("{keys}", with: Self.keys.path)
    }

    static let keys = Vectors.repository.appending(path: "Tests/Vectors/keys")

    static let inConfiguration = [
        Fault(.subscribeToken, nil, says: "is missing: set it to "),
        Fault(.subscribeToken, "", says: "is missing: set it to "),
        Fault(.subscribeToken, " , ", says: "holds no usable token"),
        Fault(.publicURL, "push.example.org", says: "https://"),
        Fault(.publicURL, "http://push.example.org", says: "https://"),
        Fault(.listenAddress, "8080", says: "127.0.0.1:8080"),
        Fault(.listenAddress, "localhost:8080", says: "127.0.0.1"),
        Fault(.apnsKeyFile, "{folder}/absent.p8", says: "does not exist"),
        Fault(.apnsKeyFile, "{folder}", says: "is a directory"),
        Fault(.apnsKeyFile, "{keys}/p384.pem", says: "no P-256 private key"),
        Fault(.apnsKeyFile, "{keys}/p256-public.pem", says: "no P-256 private key"),
        Fault(.apnsKeyFile, "{keys}/p256-encrypted.pem", says: "no P-256 private key"),
        Fault(.apnsKeyFile, "{keys}/rsa.pem", says: "no P-256 private key"),
        Fault(.apnsKeyFile, "{keys}/certificate.pem", says: "no P-256 private key"),
        Fault(.apnsKeyFile, "/dev/null", says: "no P-256 private key"),
        Fault(.apnsKeyID, "short", says: "ten capital letters and digits"),
        Fault(.apnsTeamID, "def123ghij", says: "ten capital letters and digits"),
        Fault(.apnsTopic, "app", says: "bundle id"),
        Fault(.apnsEnvironment, "staging", says: "production"),
        Fault(.apnsURL, "http://127.0.0.1", says: "https://"),
        Fault(.apnsCAFile, "{folder}/absent.pem", says: "does not exist"),
        Fault(.sounds, "like", says: "type=sound"),
        Fault(.logLevel, "loud", says: "debug"),
        Fault(.logFormat, "xml", says: "json"),
    ]
}

@Suite(.fewAtATime) struct StartFaultTests {
    @Test func `an empty environment is answered with every required variable at once`() async throws {
        let run = try await RelayProgram.run(["serve"])
        #expect(run.code == 78)
        #expect(run.output == [])
        let required = [
            "PUBLIC_URL", "DB_PATH", "SUBSCRIBE_TOKEN", "APNS_KEY_FILE", "APNS_KEY_ID", "APNS_TEAM_ID", "APNS_TOPIC",
        ]
        #expect(run.errors.map { $0.split(separator: " ").dropFirst().first.map(String.init) } == required)
        #expect(run.errors.allSatisfy { $0.hasPrefix("relay: ") && $0.contains(" is missing: set it to ") })
    }

    @Test(arguments: Fault.inConfiguration)
    fileprivate func `a wrong value is one line with the variable, the fault and a remedy`(fault: Fault) async throws {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        var environment = RelayProgram.environment(apple, in: folder)
        environment[fault.variable] = fault.value(in: folder)
        let run = try await RelayProgram.run(["serve"], environment)
        #expect(run.code == 78)
        #expect(run.output == [])
        #expect(run.errors.count == 1)
        let line = try #require(run.errors.first)
        #expect(line.hasPrefix("relay: \(fault.variable.rawValue) "))
        #expect(line.contains(fault.says))
        #expect(line.dropFirst("relay: ".count).contains(/(: |; )\S/))
        #expect(try secrets(apple).filter { line.contains($0) } == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test func `two wrong values are two lines`() async throws {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        var environment = RelayProgram.environment(apple, in: folder)
        environment[.logLevel] = "loud"
        environment[.apnsTopic] = "two words"
        let run = try await RelayProgram.run(["serve"], environment)
        #expect(run.code == 78)
        #expect(run.errors.map { $0.split(separator: " ")[1] } == ["APNS_TOPIC", "LOG_LEVEL"])
    }

    @Test func `an address that is taken is a fault of LISTEN_ADDR and leaves its holder alone`() async throws {
        let apple = try await AppleSimulator.shared()
        let holder = try await RelayProgram(apple: apple)
        let folder = try TemporaryFolder()
        var environment = RelayProgram.environment(apple, in: folder)
        environment[.listenAddress] = holder.address
        let run = try await RelayProgram.run(["serve"], environment)
        #expect(run.code == 1)
        #expect(run.errors.count == 1)
        #expect(run.errors.first?.hasPrefix("relay: LISTEN_ADDR: ") == true)
        #expect(run.errors.first?.contains(holder.address) == true)
        #expect(try await holder.isWell())
    }

    @Test(arguments: [
        ("", "a directory"), ("relay.txt", "text"), ("absent/relay.sqlite", "a directory that is not there"),
        ("relay.txt/relay.sqlite", "a directory that is a file"),
    ])
    func `a database that cannot be one is a fault of DB_PATH and stays as it is`(
        name: String,
        kind: String
    ) async throws {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        let text = String(repeating: "A letter that happens to lie there.\n", count: 200)
        let file = try folder.write(text, to: "relay.txt")
        var environment = RelayProgram.environment(apple, in: folder)
        environment[.databasePath] = folder.path(name)
        let run = try await RelayProgram.run(["serve"], environment)
        #expect(run.code == 1)
        #expect(run.output == [])
        #expect(run.errors.count == 1)
        #expect(run.errors.first?.hasPrefix("relay: DB_PATH \(folder.path(name)): ") == true)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["relay.txt"])
    }

    @Test func `a key that other users can read is a warning and no fault`() async throws {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        let key = try String(contentsOfFile: apple.ready.key, encoding: .utf8)
        let file = try folder.write(key, to: "AuthKey.p8", mode: 0o644)
        let relay = try await RelayProgram(apple: apple, in: folder, [.apnsKeyFile: file, .subscribeToken: "short"])
        let warnings = relay.program.lines.compactMap { LogLine($0) }.filter { $0.fields["level"] == "warning" }
        #expect(warnings.map(\.event) == ["configuration", "configuration"])
        let named = warnings.compactMap { $0.fields["detail"]?.split(separator: " ").first.map(String.init) }
        #expect(named == ["SUBSCRIBE_TOKEN", "APNS_KEY_FILE"])
        #expect(try await relay.isWell())
    }

    /// What standard error must never show.
    private func secrets(_ apple: AppleSimulator) throws -> [String] {
        let files =
            try [apple.ready.key]
            + FileManager.default.contentsOfDirectory(atPath: Fault.keys.path)
            .filter { $0.hasSuffix(".pem") }
            .map { Fault.keys.appending(path: $0).path }
        let lines = try files.flatMap { file in
            try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        }
        return lines.filter { !$0.hasPrefix("-----") } + [RelayProgram.subscribeToken]
    }
}
