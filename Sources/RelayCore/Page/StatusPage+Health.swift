extension StatusPage {
    enum Health: String {
        case well, warning, error
    }

    var health: Health {
        if report.problems.isEmpty { return .well }
        return report.problems.contains { $0.severity == .error } ? .error : .warning
    }

    /// What the browser shows of the page when it shows something else.
    var title: String {
        let errors = report.problems.count { $0.severity == .error }
        return switch health {
        case .well: "All is well"
        case .warning: Words.count(report.problems.count, "warning", "warnings")
        case .error: Words.count(errors, "thing wrong", "things wrong")
        }
    }

    var healthSection: Markup {
        """
        <section class="health" aria-labelledby="health">
        <h1 id="health">\(headline)</h1>
        \(problemList)<p class="lede">\(summary)</p>
        </section>
        """
    }

    private var headline: Markup {
        let errors = report.problems.count { $0.severity == .error }
        let warnings = report.problems.count - errors
        let more: Markup = "\(warnings.digits) more \(warnings == 1 ? "needs" : "need") you soon"
        return switch (errors, warnings) {
        case (0, 0): wellWords
        case (0, 1): "The relay works, but one thing needs you soon."
        case (0, _): "The relay works, but \(warnings.digits) things need you soon."
        case (1, 0): "One thing is wrong."
        case (1, _): "One thing is wrong, and \(more)."
        case (_, 0): "\(errors.digits) things are wrong."
        case (_, _): "\(errors.digits) things are wrong, and \(more)."
        }
    }

    private var wellWords: Markup {
        if report.facts.subscriptionCount == 0 { return "All is well: the relay waits for its first subscription." }
        guard let accepted = report.facts.lastAccepted else { return "All is well so far: no push has come yet." }
        return "All is well: the last push was accepted \(relative(accepted))."
    }

    /// What is wrong first, then what will be.
    private var problemList: Markup {
        guard !report.problems.isEmpty else { return "" }
        let inOrder =
            report.problems.filter { $0.severity == .error } + report.problems.filter { $0.severity == .warning }
        return """
            <ol class="problems">
            \(.each(inOrder, item))
            </ol>

            """
    }

    private func item(_ problem: StatusReport.Problem) -> Markup {
        let (kind, word) = problem.severity == .error ? ("error", "Now") : ("warning", "Soon")
        return """
            <li class="\(kind)"><p class="severity">\(word)</p>
            <div><p class="what">\(.foreign(Words.sentence(problem.what)))</p>
            <p class="remedy">\(.foreign(Words.sentence(problem.remedy)))</p></div></li>

            """
    }

    /// The line below: how long it has run and what it did of late.
    private var summary: Markup {
        var words: Markup = "The relay has run for \(Words.duration(elapsed(since: report.runningSince)))"
        if report.hours == nil {
            words += "."
        } else if day.total == 0 {
            words += ", and no push came in the last 24 hours."
        } else {
            words += """
                , and Apple accepted \(Words.number(day.total(.accepted))) of the \
                \(Words.count(day.total, "push", "pushes")) of the last 24 hours.
                """
        }
        if health == .well || report.hours == nil { return words }
        guard let accepted = report.facts.lastAccepted else { return "\(words) None has been accepted yet." }
        return "\(words) The last one was accepted \(relative(accepted))."
    }

    /// A moment in words alone, for a sentence; the facts have it exactly.
    private func relative(_ time: Int64) -> Markup {
        """
        <time datetime="\(UTCTime(time).machine)" title="\(UTCTime(time).words)">\
        \(Words.relative(time, now: report.now))</time>
        """
    }

    /// Seconds, 0 for what is still to come.
    func elapsed(since time: Int64) -> Int64 {
        let (distance, overflow) = report.now.subtractingReportingOverflow(time)
        return overflow ? 0 : max(distance, 0)
    }
}
