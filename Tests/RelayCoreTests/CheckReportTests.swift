import Foundation
import RelayCore
import Testing

@Suite struct CheckReportTests {
    private let lines = [
        CheckLine("PUBLIC_URL", .ok, "https://push.example.org"),
        CheckLine("clock", .warning, "40 s ahead of Apple's", remedy: "set the clock"),
        CheckLine("Apple", .skipped, "left out: --offline"),
    ]

    @Test func `people get columns, and each remedy below its line`() {
        #expect(
            CheckReport(lines).text == """
                ok       PUBLIC_URL  https://push.example.org
                warning  clock       40 s ahead of Apple's
                                     -> set the clock
                skipped  Apple       left out: --offline
                """
        )
    }

    @Test func `programs get the same as JSON`() {
        #expect(
            CheckReport(lines).json == """
                {"checks":[{"name":"PUBLIC_URL","state":"ok","text":"https://push.example.org"},\
                {"name":"clock","remedy":"set the clock","state":"warning","text":"40 s ahead of Apple's"},\
                {"name":"Apple","state":"skipped","text":"left out: --offline"}],"ok":true}
                """
        )
    }

    @Test func `a failure is what makes it fail, and nothing less`() {
        #expect(CheckReport([]).isOK)
        #expect(CheckReport(lines).isOK)
        #expect(!CheckReport(lines + [CheckLine("database", .failed, "is damaged")]).isOK)
    }

    @Test(arguments: ["\u{1b}[2J", "a\nb", "\u{0}", "\u{202e}", "\u{2028}", "\u{9b}31m"])
    func `nothing that a stranger sent reaches a terminal as a command`(text: String) {
        let report = CheckReport([CheckLine(text, .failed, text, remedy: text)]).text
        #expect(report.split(separator: "\n").count == 2)
        let harmful = report.unicodeScalars.filter {
            ($0.properties.generalCategory == .control && $0 != "\n") || $0 == "\u{202e}"
        }
        #expect(harmful.isEmpty)
    }
}
