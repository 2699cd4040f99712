import Foundation
import RelayTesting
import Testing

/// What an app's developer copies out of README.
struct ReadmeTests {
    /// The Swift of the section "In your app", from its first line to its last.
    private static func code() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let section = try #require(readme.firstMatch(of: #/(?s)\n## In your app\n(.*?)\n## /#)).1
        return section.matches(of: #/(?s)\n```swift\n(.*?)\n```\n/#).map { String($0.1) }.joined(separator: "\n\n")
    }

    /// Complaints of the compiler about a text that is all of a module.
    private static func complaints(about code: String) async throws -> [String] {
        let folder = try TemporaryFolder()
        let file = try folder.write(code, to: "App.swift")
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let modules = URL(filePath: tests).deletingLastPathComponent().appending(path: "Modules").path
        let compiler = try Program(
            "/usr/bin/env",
            ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-I", modules, file]
        )
        let code = await compiler.end()
        return code == 0 && compiler.errors.isEmpty ? [] : compiler.errors + ["exit code \(code)"]
    }

    @Test func `the code for an app compiles as it stands`() async throws {
        #expect(try await Self.complaints(about: Self.code()) == [])
    }

    @Test func `code with a call that the library does not have would not pass`() async throws {
        let code = try Self.code().replacing("relay.setUnread(", with: "relay.setUnred(")
        #expect(try await !Self.complaints(about: code).isEmpty)
    }
}
