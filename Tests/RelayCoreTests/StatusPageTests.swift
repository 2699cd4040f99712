import Foundation
import RelayCore
import RelayTesting
import Testing

struct StatusPageTests {
    @Test(arguments: [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("\" onload=\"x", "&quot; onload=&quot;x"), ("it's", "it&#39;s"),
        ("&amp;", "&amp;amp;"), ("]]>", "]]&gt;"),
        ("a\u{0}b", "a⟨U+0000⟩b"), ("\u{1B}[31m", "⟨U+001B⟩[31m"), ("a\r\nb", "a⟨U+000D⟩⟨U+000A⟩b"),
        ("\u{85}", "⟨U+0085⟩"),
        ("\u{202E}gnp.exe", "⟨U+202E⟩gnp.exe"), ("\u{2066}x\u{2069}", "⟨U+2066⟩x⟨U+2069⟩"), ("\u{200F}", "⟨U+200F⟩"),
        ("\u{FFFE}\u{10FFFF}", "⟨U+FFFE⟩⟨U+10FFFF⟩"),
        ("سلام", "سلام"), ("👩‍👩‍👧", "👩‍👩‍👧"), ("\u{E9}e\u{301}", "\u{E9}e\u{301}"),
    ])
    func `a text from outside stays a text, wherever it stands`(text: String, shown: String) {
        var report = StatusReport.rich
        report.subscriptions?[0].label = text
        report.subscriptions?[0].account = text
        report.subscriptions?[0].environment = text
        report.subscriptions?[0].hash = text
        report.subscriptions?[0].lastFailure = .init(time: 1, text: text)
        report.lastErrors = [.init(time: 1, level: .error, event: text, cause: "\(text)!", remedy: "\(text)!")]
        report.problems = [.init(.error, "\(text)!", remedy: "\(text)!")]
        report.version = text

        let page = html(of: report)

        // A hash and the version are not the app's: they are escaped, and need no direction of their own.
        #expect(page.utf8Count(of: "<bdi>\(shown)</bdi>") == 5)
        #expect(page.utf8Count(of: "<bdi>\(shown)!</bdi>") == 4)
        #expect(page.utf8Count(of: ">\(shown)<") == 6)
        #expect(page.utf8Count(of: "relay \(shown)<") == 1)
        #expect(text == shown || page.utf8Count(of: text) == 0 || shown.hasPrefix(text))
    }

    @Test func `a healthy relay says so first, and when it last worked`() {
        #expect(
            headline(.rich) == "All is well: the last push was accepted 4 minutes ago."
        )
        #expect(html(of: .rich).contains("<time datetime=\"2026-11-30T14:28:00Z\""))
    }

    @Test(arguments: [
        ([], ["late"], "The relay works, but one thing needs you soon."),
        ([], ["late", "full"], "The relay works, but 2 things need you soon."),
        (["dead"], [], "One thing is wrong."),
        (["dead"], ["late"], "One thing is wrong, and 1 more needs you soon."),
        (["dead", "gone"], [], "2 things are wrong."),
        (["dead", "gone"], ["late", "full"], "2 things are wrong, and 2 more need you soon."),
    ])
    func `an unhealthy relay says what is wrong, the worst first`(errors: [String], warnings: [String], words: String) {
        var report = StatusReport.rich
        report.problems = warnings.map { .init(.warning, $0, remedy: "mend \($0)") }
        report.problems += errors.map { .init(.error, $0, remedy: "mend \($0)") }

        let page = html(of: report)

        #expect(headline(report) == words)
        let places = (errors + warnings).flatMap { ["<bdi>\($0.capitalized).</bdi>", "<bdi>Mend \($0).</bdi>"] }
            .map { page.range(of: $0)?.lowerBound }
        #expect(!places.contains(nil))
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
        #expect(page.contains(errors.isEmpty ? "<body class=\"warning\">" : "<body class=\"error\">"))
    }

    @Test func `what is not there yet says what to do`() {
        #expect(headline(.empty) == "All is well: the relay waits for its first subscription.")
        let page = html(of: .empty)
        for words in [
            "There is no subscription yet. Open the app", "none is scheduled: set <code>BACKUP_DIR</code>",
            "No push came in the last 24 hours.", "Nothing has failed since the relay started.",
            "the first push makes one",
        ] {
            #expect(page.contains(words))
        }
        var waiting = StatusReport.rich
        waiting.facts.lastAccepted = nil
        #expect(headline(waiting) == "All is well so far: no push has come yet.")
    }

    @Test func `what cannot be read is not said to be nothing`() {
        var report = StatusReport.rich
        report.problems = [.init(.error, "the database cannot be used", remedy: "see the log")]
        (report.subscriptions, report.hours, report.facts.subscriptionCount) = (nil, nil, nil)

        let page = html(of: report)

        #expect(page.utf8Count(of: "The database cannot be read just now") == 2)
        #expect(page.contains("<dt>Subscriptions</dt><dd><span class=\"muted\">not known</span></dd>"))
        for words in ["There is no subscription", "no push came", "<svg", "0 of at most"] {
            #expect(!page.contains(words))
        }
    }

    @Test(
        arguments: [
            [], [-1], [0], [24], [100_000], Array(0..<24), Array(-50..<50), [3, 3, 3], [.min / 3_600, .max / 3_600],
        ] as [[Int64]]
    )
    func `each chart has 24 hours, whatever is known`(hoursAgo: [Int64]) {
        var report = StatusReport.rich
        report.hours = hoursAgo.map { ago in
            var hour = StatusReport.Hour(start: report.now &- ago &* 3_600)
            (hour.accepted, hour.failed, hour.latencyMean, hour.latencyMax) = (.max, .min, 80, .max)
            return hour
        }
        #expect(html(of: report).utf8Count(of: "<g class=\"hour\">") == 48)
    }

    @Test func `an hour is drawn where it belongs, with a piece for each outcome`() throws {
        var report = StatusReport.empty
        var hour = StatusReport.Hour(start: report.now - 3_600)
        (hour.accepted, hour.repeated, hour.gone, hour.refused, hour.limited, hour.failed) = (6, 5, 4, 3, 2, 1)
        report.hours = [hour]

        let bars = html(of: report).components(separatedBy: "<g class=\"hour\">").dropFirst().map { bar in
            bar.components(separatedBy: "</g>")[0]
        }

        #expect(bars[22].contains("13:00 UTC: 6 accepted, 5 repeated, 4 device gone, 3 refused, 2 limited, 1 failed<"))
        for (index, bar) in bars.enumerated() {
            #expect(bar.contains("class=\"failed\"") == (index == 22))
        }
        // Each piece stands on the one below, and the lowest on the ground.
        var ground = 188.0
        for piece in bars[22].matches(of: /<rect class="[^h][a-z]*" [^>]*y="([0-9.]+)" height="([0-9.]+)"/) {
            let (top, height) = try (#require(Double(piece.1)), #require(Double(piece.2)))
            #expect(abs(top + height - ground) < 0.25)
            ground = top
        }
        #expect(abs(ground - (188 - 168 * 21 / 30)) < 0.25)
    }

    @Test(arguments: [
        (0, "less than a minute ago"), (59, "less than a minute ago"), (60, "1 minute ago"), (3_599, "59 minutes ago"),
        (3_600, "1 hour ago"), (172_799, "47 hours ago"), (172_800, "2 days ago"), (5_259_491, "60 days ago"),
        (5_259_492, "2 months ago"), (63_113_904, "2 years ago"), (-59, "less than a minute ago"), (-60, "in 1 minute"),
    ])
    func `a moment is told by how long ago it was`(seconds: Int64, words: String) {
        var report = StatusReport.rich
        report.facts.lastAccepted = report.now - seconds
        #expect(headline(report) == "All is well: the last push was accepted \(words).")
    }

    @Test(
        arguments: [
            (.min, "1970-01-01T00:00:00Z"), (0, "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (1_709_164_800, "2024-02-29T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
            (.max, "9999-12-31T23:59:59Z"),
        ] as [(Int64, String)]
    )
    func `a moment is told in UTC as well`(time: Int64, exact: String) {
        var report = StatusReport.empty
        report.facts.lastBackup = time
        let words = exact.dropLast(4).replacing("T", with: " ") + " UTC"
        let backup = html(of: report).components(separatedBy: "<dt>Last backup</dt>").last ?? ""
        #expect(backup.hasPrefix("<dd><time datetime=\"\(exact)\">"))
        #expect(backup.components(separatedBy: "</time>")[0].hasSuffix("<span class=\"exact\">\(words)</span>"))
    }

    @Test(
        arguments: [
            (-1, "0 octets"), (999, "999 octets"), (1_000, "1.0 kB"), (99_999, "99.9 kB"), (123_456, "123 kB"),
            (2_360_000, "2.3 MB"), (18_400_000_000, "18.4 GB"), (.max, "9,223,372 TB"),
        ] as [(Int64, String)]
    )
    func `a size is told in a unit that suits it`(octets: Int64, words: String) {
        var report = StatusReport.empty
        report.facts.databaseOctets = octets
        #expect(html(of: report).contains("<dt>Database</dt><dd>\(words)</dd>"))
    }

    @Test func `100 of many subscriptions are shown, and the others counted`() {
        let page = html(of: .hostile)
        #expect(page.utf8Count(of: "<tr role=\"row\"><th scope=\"row\" role=\"rowheader\"><span") == 100)
        #expect(page.contains("And 900 more: <code>relay subscriptions</code> lists all."))
        #expect(!html(of: .rich).contains("more: <code>relay subscriptions"))
    }

    @Test func `errors that are alike are told once`() {
        let page = html(of: .unhealthy)
        #expect(page.utf8Count(of: "<bdi>apple_refuses_configuration</bdi>") == 1)
        #expect(page.contains("25 times, first <time datetime=\"2026-11-30T09:51:05Z\">4 hours ago"))
    }

    private func html(of report: StatusReport) -> String { String(decoding: StatusPage(report).octets, as: UTF8.self) }

    private func headline(_ report: StatusReport) -> String {
        let parts = html(of: report).components(separatedBy: "<h1 id=\"health\">")
        let words = parts.last?.components(separatedBy: "</h1>").first ?? ""
        return words.replacing(/<[^>]*>/, with: "")
    }
}

extension String {
    /// How often a text occurs, octet for octet.
    fileprivate func utf8Count(of text: String) -> Int {
        Data(utf8).split(separator: Data(text.utf8), omittingEmptySubsequences: false).count - 1
    }
}
