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
        \(.each(Failing.kinds(of: report.lastErrors).prefix(Self.most), item))
        </ol>
        """
    }

    private func item(_ failing: Failing) -> Markup {
        let (event, level) = (failing.newest, failing.newest.level.rawValue)
        var item: Markup = """
            <li class="\(level)"><div class="when">\(time(event.time))</div>
            <div class="told"><p class="what"><span class="severity">\(level)</span> \
            <code>\(.foreign(event.event))</code></p>

            """
        if let cause = event.cause { item += "<p>\(.foreign(Words.sentence(cause)))</p>\n" }
        if let remedy = event.remedy { item += "<p class=\"remedy\">\(.foreign(Words.sentence(remedy)))</p>\n" }
        if failing.count > 1 {
            item += "<p class=\"again\">\(Words.number(failing.count)) times, first \(time(failing.oldest))</p>\n"
        }
        return "\(item)</div></li>\n"
    }
}

/// Events that tell the same, told once.
private struct Failing {
    let newest: RecentFailures.Entry
    var count = 1
    var oldest: Int64

    /// In the order of the newest of each.
    static func kinds(of events: [RecentFailures.Entry]) -> [Failing] {
        var (kinds, places): ([Failing], [[String?]: Int]) = ([], [:])
        for event in events {
            let kind = [event.level.rawValue, event.event, event.cause, event.remedy]
            if let place = places[kind] {
                kinds[place].count += 1
                kinds[place].oldest = event.time
            } else {
                places[kind] = kinds.count
                kinds.append(Failing(newest: event, oldest: event.time))
            }
        }
        return kinds
    }
}
