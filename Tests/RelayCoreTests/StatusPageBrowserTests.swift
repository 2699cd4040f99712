import Foundation
import RelayCore
import RelayTesting
import Testing

@Suite(.fewAtATime) struct StatusPageBrowserTests {
    /// Whoever wants to look at the page as well names a folder for the pictures in `PAGE_PICTURES`.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium"), "it needs Debian's chromium")
    )
    func `the page fits a phone and a desk, light and dark, asks for nothing and can be read`() async throws {
        let folder = try TemporaryFolder()
        let pages = try StatusReport.examples.map { name, report in
            try folder.write(String(decoding: StatusPage(report).octets, as: UTF8.self), to: "\(name).html")
        }
        let pictures = ProcessInfo.processInfo.environment["PAGE_PICTURES"].map { ["--pictures", $0] } ?? []

        let browser = try Self.script("look_at_page.py", pictures + pages)

        #expect(await browser.end() == 0, "\(browser.errors)")
        #expect(browser.lines.count == 4 * pages.count)
        for line in browser.lines { #expect(line.hasSuffix(": fine")) }
    }

    @Test(arguments: StatusReport.examples.map(\.key))
    func `the document is well formed, has no script and names no other place`(name: String) async throws {
        let report = try #require(StatusReport.examples.first { $0.key == name }).value
        let page = String(decoding: StatusPage(report).octets, as: UTF8.self)
        let folder = try TemporaryFolder()

        let reader = try Self.script("list_markup.py", [folder.write(page, to: "page.html")])

        #expect(await reader.end() == 0, "\(reader.errors)")
        #expect(Set(Self.named("element", in: reader.lines)).subtracting(Self.elements) == [])
        let attributes = Set(Self.named("attribute", in: reader.lines))
        #expect(attributes.contains("lang"))
        #expect(attributes.filter { $0.hasPrefix("on") || Self.leadElsewhere.contains($0) } == [])
        let ids = Self.named("id", in: reader.lines)
        #expect(ids.count == Set(ids).count)
        let style = try #require(
            page.components(separatedBy: "<style>").last?.components(separatedBy: "</style>").first
        )
        for words in ["url(h", "url(/", "@import", "<", "&"] { #expect(!style.contains(words)) }
        #expect(page.contains("content=\"default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;;"))
    }

    private static let elements: Set<String> = [
        "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "h1", "h2", "h3", "p",
        "div", "span", "b", "bdi", "code", "time", "ol", "ul", "li", "dl", "dt", "dd", "table", "caption", "thead",
        "tbody", "tr", "th", "td", "figure", "details", "summary", "svg", "desc", "g", "rect", "line", "circle", "text",
        "defs", "pattern", "path",
    ]

    private static let leadElsewhere = ["href", "src", "srcset", "action", "style", "data", "poster", "background"]

    /// Starts a script of Tests/Browser.
    private static func script(_ name: String, _ arguments: [String]) throws -> Program {
        let path = URL(filePath: #filePath).appending(path: "../../Browser/\(name)").standardized.path
        return try Program("/usr/bin/python3", [path] + arguments)
    }

    private static func named(_ kind: String, in lines: [String]) -> [String] {
        lines.filter { $0.hasPrefix("\(kind) ") }.map { String($0.dropFirst(kind.utf8.count + 1)) }
    }
}
