/// The page at the address of the numbers: one HTML document for the operator that needs nothing else.
///
/// It has no script, asks nobody for anything, and says first whether the relay is healthy, or what to do.
package struct StatusPage {
    /// What a browser may do with it, for the header of that name as well: nothing but read the style inside it.
    package static let contentSecurityPolicy =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

    let report: StatusReport
    let day: Day

    package init(_ report: StatusReport) {
        self.report = report
        day = Day(report)
    }

    /// The document, in UTF-8.
    package var octets: [UInt8] { Array(document.text.utf8) }

    private var document: Markup {
        """
        <!DOCTYPE html>
        <html xmlns="http://www.w3.org/1999/xhtml" lang="en">
        <head>
        <meta charset="utf-8"/>
        <meta http-equiv="Content-Security-Policy" content="\(Self.contentSecurityPolicy)"/>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="color-scheme" content="light dark"/>
        <meta name="referrer" content="no-referrer"/>
        <title>\(title) · relay</title>
        <style>
        \(StatusStyle.sheet)
        </style>
        </head>
        <body class="\(health.rawValue)">
        <header class="page">
        <p>relay \(report.version)</p>
        <p><time datetime="\(UTCTime(report.now).machine)">\(UTCTime(report.now).words)</time></p>
        </header>
        <main>
        \(healthSection)
        \(subscriptionSection)
        \(daySection)
        \(factSection)
        \(errorSection)
        </main>
        <footer class="page">
        <p>This page shows one moment: load it again for the next. <code>relay check</code> looks at everything around \
        the relay as well.</p>
        </footer>
        </body>
        </html>

        """
    }

    /// A moment in words, and exactly.
    func time(_ time: Int64) -> Markup {
        let exact = UTCTime(time)
        return """
            <time datetime="\(exact.machine)">\(Words.relative(time, now: report.now)) \
            <span class="exact">\(exact.words)</span></time>
            """
    }

    private var daySection: Markup {
        """
        <section aria-labelledby="day">
        <h2 id="day">The last 24 hours</h2>
        \(report.hours == nil ? unreadable : dayCharts)
        </section>
        """
    }

    /// What stands for what the database does not tell.
    var unreadable: Markup {
        "<p class=\"empty\">The database cannot be read just now; what is in it is not lost by that.</p>"
    }

    private var dayCharts: Markup {
        """
        \(OutcomeChart.stripes)
        <div class="charts">
        \(OutcomeChart(day).figure)
        \(LatencyChart(day).figure)
        </div>
        <p class="note">Hours are those of UTC; the last one has not ended.</p>
        \(DayTable(day).details)
        """
    }
}
