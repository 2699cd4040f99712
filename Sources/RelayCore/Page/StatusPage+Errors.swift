extension StatusPage {
    /// How many are shown; the log has all.
    private static let most = 20

    var errorSection: Markup {
        """
        <section aria-labelledby="errors">
        <h2 id="errors">Last errors</h2>
        \(report.lastErrors.isEmpty ? noError : errorList)
        </section>
        """
    }

    private var noError: Markup {
        "<p class=\"empty\">Nothing has failed since the relay started.</p>"
    }

    private var errorList: Markup {
        """
        <ol class="errors">
        \(.each(report.lastErrors.prefix(Self.most), item))
        </ol>
        """
    }

    private func item(_ event: StatusReport.Event) -> Markup {
        let level = event.level.rawValue
        var item: Markup = """
            <li class="\(level)"><div class="when">\(time(event.time))</div>
            <div class="told"><p class="what"><span class="severity">\(level)</span> \
            <code>\(.foreign(event.event))</code></p>

            """
        if let cause = event.cause { item += "<p>\(.foreign(Words.sentence(cause)))</p>\n" }
        if let remedy = event.remedy { item += "<p class=\"remedy\">\(.foreign(Words.sentence(remedy)))</p>\n" }
        return "\(item)</div></li>\n"
    }
}
