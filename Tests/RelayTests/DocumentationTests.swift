import Foundation
import RelayCore
import RelayTesting
import Testing

/// What the operator reads agrees with what the program does.
@Suite(.fewAtATime) struct DocumentationTests {
    private static let names = Variable.allCases.map(\.rawValue)

    @Test func `the example sets each variable once, set or commented out, and no other`() throws {
        let lines = try Self.text("relay.env.example").split(separator: "\n")
        let set = lines.compactMap { $0.prefixMatch(of: /#?([A-Z][A-Z_]*)=/).map { String($0.1) } }
        #expect(set.sorted() == Self.names.sorted())
    }

    @Test func `the example explains each variable above its line`() throws {
        let lines = try Self.text("relay.env.example").split(separator: "\n", omittingEmptySubsequences: false)
        let explained = lines.compactMap { $0.prefixMatch(of: /# ([A-Z][A-Z_]*): \S/).map { String($0.1) } }
        #expect(explained.sorted() == Self.names.sorted())
    }

    @Test func `the example filled in starts the relay without a word of warning`() async throws {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        let example = try Self.text("relay.env.example")
        let token = "\nSUBSCRIBE_TOKEN="
        let filled = example.replacing("\(token)\n", with: "\(token)\(RelayProgram.subscribeToken)\n")
        #expect(filled != example)
        let file = try folder.write(filled, to: "relay.env")
        let left: [Variable] = [.publicURL, .subscribeToken, .apnsKeyID, .apnsTeamID, .apnsTopic]
        let relay = try await RelayProgram(
            apple: apple,
            in: folder,
            [Variable: String?](uniqueKeysWithValues: left.map { ($0, nil) }),
            arguments: ["serve", "--env-file", file]
        )
        #expect(relay.program.lines.compactMap { LogLine($0)?.event } == ["database_created", "started"])
        #expect(try await relay.subscribe(freshToken()).endpoint.hasPrefix("https://push.example.org/wp/"))
    }

    @Test(arguments: ["README.md", "DEPLOY.md", "Dockerfile", "deploy/docker-compose.yml", "deploy/relay.service"])
    func `a page that names a variable names one that there is`(page: String) throws {
        // A page that is not there names nothing.
        let text = (try? Self.text(page)) ?? ""
        let families = /\b(?:PUBLIC|LISTEN|DB|RELAY|SUBSCRIBE|MAX|APNS|LOG|BACKUP|METRICS)_[A-Z_]*[A-Z]\b/
        #expect(Set(text.matches(of: families).map { String($0.0) }).subtracting(Self.names) == [])
    }

    @Test func `each promise names tests that there are`() throws {
        let text = try Self.text("README.md")
        let section = try #require(text.firstRange(of: "## What it promises")).upperBound
        let rows = text[section...].split(separator: "\n").prefix { !$0.hasPrefix("## ") }.filter {
            $0.contains(#/^\| \d/#)
        }
        #expect(rows.count == 10)
        let tests = Vectors.repository.appending(path: "Tests")
        let files = try #require(FileManager.default.enumerator(atPath: tests.path)).compactMap { $0 as? String }
        for row in rows {
            let named = String(row).matches(of: /`([A-Za-z0-9]+Tests)`/).map { String($0.1) }
            #expect(!named.isEmpty)
            for name in named { #expect(files.contains { $0.hasSuffix("/\(name).swift") }, "\(name)") }
        }
    }

    private static func text(_ page: String) throws -> String {
        try String(contentsOf: Vectors.repository.appending(path: page), encoding: .utf8)
    }
}
