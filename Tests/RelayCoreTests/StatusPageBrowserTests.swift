import Foundation
import RelayCore
import RelayTesting
import Testing

@Suite(
    .fewAtATime,
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium"), "it needs Debian's chromium")
)
struct StatusPageBrowserTests {
    /// Whoever wants to look at the page as well names a folder for the pictures in `PAGE_PICTURES`.
    @Test func `the page fits a phone and a desk, light and dark, asks for nothing and can be read`() async throws {
        let folder = try TemporaryFolder()
        let pages = try [
            "rich": StatusReport.rich, "unhealthy": .unhealthy, "empty": .empty, "hostile": .hostile,
        ].map { name, report in
            try folder.write(String(decoding: StatusPage(report).octets, as: UTF8.self), to: "\(name).html")
        }
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Browser/look_at_page.py").standardized.path
        let pictures = ProcessInfo.processInfo.environment["PAGE_PICTURES"].map { ["--pictures", $0] } ?? []

        let browser = try Program("/usr/bin/python3", [script] + pictures + pages)

        #expect(await browser.end() == 0, "\(browser.errors)")
        #expect(browser.lines.count == 4 * pages.count)
        for line in browser.lines { #expect(line.hasSuffix(": fine")) }
    }
}
