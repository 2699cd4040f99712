extension StatusPage {
    var factSection: Markup {
        let facts = report.facts
        return """
            <section aria-labelledby="facts">
            <h2 id="facts">Facts</h2>
            <dl class="facts">
            \(fact("Last accepted push", facts.lastAccepted.map(time) ?? muted("none yet")))
            \(fact("Last backup", backup))
            \(fact("Subscriptions", subscriptionCount))
            \(fact("Database", facts.databaseOctets.map { "\(Words.size($0))" } ?? unknown))
            \(fact("Free on its disk", facts.diskFreeOctets.map { "\(Words.size($0))" } ?? unknown))
            \(fact("Certificate", certificate))
            \(fact("Provider token", providerToken))
            \(fact("Running since", time(report.runningSince)))
            </dl>
            </section>
            """
    }

    private func fact(_ name: String, _ value: Markup) -> Markup {
        "<div><dt>\(name)</dt><dd>\(value)</dd></div>"
    }

    private var unknown: Markup { muted("not known") }

    private var backup: Markup {
        let last = report.facts.lastBackup.map(time) ?? muted("none yet")
        guard let interval = report.facts.backupInterval else {
            let advice: Markup = "none is scheduled: set <code>BACKUP_DIR</code>"
            return report.facts.lastBackup == nil ? "<span class=\"muted\">\(advice)</span>" : "\(last) \(advice)"
        }
        return "\(last) <span class=\"aside\">one every \(Words.interval(interval))</span>"
    }

    private var subscriptionCount: Markup {
        guard let count = report.facts.subscriptionCount else { return unknown }
        return "\(Words.number(count)) of at most \(Words.number(report.facts.subscriptionLimit))"
    }

    private var certificate: Markup {
        guard let days = report.facts.certificateDaysLeft else { return unknown }
        return days > 0 ? "\(Words.count(days, "day", "days")) left" : "\(CertificateEnd.words(days))"
    }

    private var providerToken: Markup {
        guard let age = report.facts.providerTokenAge else { return muted("none yet: the first push makes one") }
        return "made \(Words.duration(max(age, 0))) ago"
    }
}
