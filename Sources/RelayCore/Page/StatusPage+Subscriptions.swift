extension StatusPage {
    /// How many are shown; the command lists all.
    private static let most = 100

    var subscriptionSection: Markup {
        """
        <section aria-labelledby="subscriptions">
        <h2 id="subscriptions">Subscriptions</h2>
        \(subscriptions)
        </section>
        """
    }

    private var subscriptions: Markup {
        guard let subscriptions = report.subscriptions else { return unreadable }
        return subscriptions.isEmpty ? noSubscription : table(of: subscriptions)
    }

    private var noSubscription: Markup {
        """
        <p class="empty">There is no subscription yet. Open the app, sign in and allow notifications: it registers \
        with <code>POST /subscribe</code> and appears here.</p>
        """
    }

    private func table(of subscriptions: [StatusReport.Subscription]) -> Markup {
        let shown = subscriptions.prefix(Self.most)
        let more = max(report.facts.subscriptionCount ?? 0, subscriptions.count) - shown.count
        return """
            <table class="subscriptions" role="table">
            <thead role="rowgroup"><tr role="row">
            \(.each(Column.allCases) { "<th scope=\"col\" role=\"columnheader\">\($0.rawValue)</th>\n" })
            </tr></thead>
            <tbody role="rowgroup">
            \(.each(shown, row))
            </tbody>
            </table>
            \(more > 0 ? moreSubscriptions(more) : "")
            """
    }

    private func moreSubscriptions(_ count: Int) -> Markup {
        """
        <p class="note">And \(Words.number(count)) more: <code>relay subscriptions</code> lists all.</p>
        """
    }

    private enum Column: String, CaseIterable {
        case subscription = "Subscription"
        case lastAccepted = "Last accepted"
        case badge = "Badge"
        case lastFailure = "Last failure"
        case created = "Registered"
        case environment = "Environment"
        case hash = "Hash"
        case sender = "Sender"
    }

    private func row(_ subscription: StatusReport.Subscription) -> Markup {
        """
        <tr role="row"><th scope="row" role="rowheader">\(name(subscription))</th>
        \(cell(.lastAccepted, subscription.lastAccepted.map(time) ?? muted("none yet")))
        \(cell(.badge, badge(subscription)))
        \(subscription.lastFailure.map { cell(.lastFailure, failure($0)) } ?? everydayCell(.lastFailure, "none"))
        \(cell(.created, time(subscription.created)))
        \(cell(.environment, subscription.environment.map { "\(.foreign($0))" } ?? muted("not known yet")))
        \(cell(.hash, "<code>\(subscription.hash)</code>"))
        \(subscription.isPinned ? cell(.sender, "one instance") : everydayCell(.sender, "anyone"))
        </tr>

        """
    }

    private func name(_ subscription: StatusReport.Subscription) -> Markup {
        let label: Markup = subscription.label.isEmpty ? muted("no label") : .foreign(subscription.label)
        let account: Markup = subscription.account.isEmpty ? "no account" : .foreign(subscription.account)
        return "<span class=\"label\">\(label)</span> <span class=\"account\">\(account)</span>"
    }

    private func failure(_ failure: StatusReport.Failure) -> Markup {
        "<span class=\"failure\">\(.foreign(failure.text))</span> \(time(failure.time))"
    }

    private func badge(_ subscription: StatusReport.Subscription) -> Markup {
        let count = Words.number(subscription.badge)
        return subscription.showsBadges ? "\(count)" : "\(count) <span class=\"aside\">turned off</span>"
    }

    private func cell(_ column: Column, _ content: Markup) -> Markup {
        let style = column == .lastFailure ? "wide" : "narrow"
        return "<td role=\"cell\" data-name=\"\(column.rawValue)\" class=\"\(style)\"><div>\(content)</div></td>"
    }

    /// A cell that says nothing worth a line on a phone.
    private func everydayCell(_ column: Column, _ words: String) -> Markup {
        "<td role=\"cell\" data-name=\"\(column.rawValue)\" class=\"nothing\">\(words)</td>"
    }

    func muted(_ words: String) -> Markup { "<span class=\"muted\">\(words)</span>" }
}
