import Foundation
import RelayCore
import RelayTesting
import Testing

@Suite(.fewAtATime) struct CommandLineTests {
    @Test func `--version prints one line`() async throws {
        let run = try await RelayProgram.run(["--version"])
        #expect(run.code == 0)
        #expect(run.output == ["relay \(relayVersion)"])
        #expect(run.errors == [])
    }

    @Test(arguments: [["--help"], ["-h"], ["help"], ["serve", "--help"], ["--nonsense", "--help"]])
    func `help names the command, its options and every variable`(arguments: [String]) async throws {
        let run = try await RelayProgram.run(arguments)
        #expect(run.code == 0)
        #expect(run.errors == [])
        let words = Set(run.output.flatMap { $0.split(whereSeparator: { " []".contains($0) }).map(String.init) })
        let expected = ["relay", "serve", "--env-file", "--help", "--version"] + Variable.allCases.map(\.rawValue)
        #expect(Set(expected).subtracting(words) == [])
        #expect(run.output.filter { $0.count > 120 } == [])
    }

    @Test(arguments: [
        (["--nonsense"], "--nonsense"), (["nonsense"], "nonsense"), (["serve", "serve"], "serve"), (["-x"], "-x"),
        (["--env-file"], "--env-file"), (["--env-file", ""], "--env-file"),
        (["--env-file", "a", "--env-file", "b"], "--env-file"), (["serve", "8080"], "8080"), ([""], "command"),
    ])
    func `arguments that mean nothing end with exit code 64`(arguments: [String], named: String) async throws {
        let run = try await RelayProgram.run(arguments)
        #expect(run.code == 64)
        #expect(run.output == [])
        #expect(run.errors.first?.contains(named) == true)
        #expect(run.errors.last == "Try `relay --help`.")
    }
}

@Suite(.fewAtATime) struct EnvironmentFileTests {
    @Test func `what the file sets holds, unless the environment sets it too`() async throws {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        let file = try folder.write(
            """
            # A comment, an empty line, quotes and white space.

            PUBLIC_URL=https://file.example
              SUBSCRIBE_TOKEN = "never read"
            LOG_FORMAT='json'
            """.replacing(" = ", with: "="),
            to: "relay.env"
        )
        let relay = try await RelayProgram(
            apple: apple,
            in: folder,
            [.publicURL: nil],
            arguments: ["--env-file=\(file)"]
        )
        #expect(relay.program.lines.allSatisfy { $0.hasPrefix("{") })
        #expect(try await relay.subscribe(freshToken()).endpoint.hasPrefix("https://file.example/wp/"))
    }

    @Test func `a name that the relay does not know is warned about`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("LOG_LEVLE=debug\n", to: "relay.env")
        let relay = try await RelayProgram(apple: .shared(), in: folder, arguments: ["serve", "--env-file", file])
        let warning = try await relay.logged("configuration")
        #expect(warning.fields["level"] == "warning")
        #expect(warning.fields["detail"]?.hasPrefix("LOG_LEVLE ") == true)
    }

    @Test(arguments: [
        ("PUBLIC_URL=https://push.example.org\n\nDB_PATH /tmp/relay.sqlite\n", "line 3 "),
        ("=value\n", "line 1 "),
        ("# comment\nexport SOUNDS=like=none\n", "line 2 "),
        ("SOUNDS=a=b\nSOUNDS=a=c\n", "line 2 sets SOUNDS "),
    ])
    func `a line that cannot be read is named by its number`(text: String, named: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(text, to: "relay.env")
        let run = try await RelayProgram.run(["--env-file", file])
        #expect(run.code == 78)
        #expect(run.output == [])
        #expect(run.errors.count == 1)
        #expect(run.errors.first?.hasPrefix("relay: \(file) \(named)") == true)
    }

    @Test func `a file that is not there is named`() async throws {
        let folder = try TemporaryFolder()
        let run = try await RelayProgram.run(["--env-file", folder.path("absent.env")])
        #expect(run.code == 78)
        #expect(run.errors.count == 1)
        #expect(run.errors.first?.contains("--env-file names a file that does not exist") == true)
        #expect(run.errors.first?.contains(folder.path("absent.env")) == true)
    }
}
