/// Pushes in each of the last 24 hours, as bars with one piece for each outcome.
struct OutcomeChart {
    private let day: Day
    private let chart: Chart

    init(_ day: Day) {
        self.day = day
        chart = Chart(
            name: "pushes",
            title: "Pushes in each of the last 24 hours by what became of them",
            description: Self.description(day),
            largest: max(day.hours.map(\.total).max() ?? 0, 4),
            label: { Words.number($0) }
        )
    }

    var figure: Markup {
        """
        <figure>
        <h3>Pushes per hour</h3>
        \(chart.svg(day.hours, hour: bar))
        <ul class="legend">
        \(.each(Day.Outcome.allCases, entry))
        </ul>
        </figure>
        """
    }

    /// What failures are filled with, by bars and legend alike.
    static let stripes: Markup = """
        <svg xmlns="http://www.w3.org/2000/svg" class="stripes" aria-hidden="true"><defs>\
        <pattern id="stripes" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
        <rect width="5" height="5"/><path d="M0 0V5"/></pattern></defs></svg>
        """

    private static func description(_ day: Day) -> String {
        guard let busiest = day.hours.max(by: { $0.total < $1.total }), busiest.total > 0 else {
            return "No push came in the last 24 hours."
        }
        let totals = Day.Outcome.allCases.map { "\(Words.number(day.total($0))) \($0.words)" }
        return "\(totals.joined(separator: ", ")). The busiest hour began at \(busiest.clock) UTC, with "
            + "\(Words.count(busiest.total, "push", "pushes")). The table of figures below has every hour."
    }

    private func bar(_ column: Int, _ hour: StatusReport.Hour) -> Markup {
        var (pieces, below): (Markup, Int) = ("", 0)
        for outcome in Day.Outcome.allCases where hour[keyPath: outcome.figure] > 0 {
            let above = below + hour[keyPath: outcome.figure]
            pieces += """
                <rect class="\(outcome.rawValue)" x="\(Chart.x(column, plus: 43))" width="2.8%" y="\(chart.y(above))" \
                height="\(chart.height(from: below, to: above))"/>
                """
            below = above
        }
        return "<title>\(hour.clock) UTC: \(hour.words)</title>\(hitArea(column))\(pieces)"
    }

    private func entry(_ outcome: Day.Outcome) -> Markup {
        """
        <li title="\(outcome.meaning)"><svg xmlns="http://www.w3.org/2000/svg" class="key" width="12" height="12" \
        aria-hidden="true"><rect class="\(outcome.rawValue)" width="12" height="12"/></svg> \(outcome.words) \
        <b>\(Words.number(day.total(outcome)))</b></li>

        """
    }
}

/// What a pointer finds all the way up a column, so that a short bar shows its figures as well.
func hitArea(_ column: Int) -> Markup {
    "<rect class=\"hit\" x=\"\(Chart.x(column))\" width=\"3.66%\" y=\"0\" height=\"188\"/>"
}
