/// How long pushes took in each of the last 24 hours: a dot for the mean, a ring for the slowest.
struct LatencyChart {
    private let day: Day
    private let chart: Chart

    init(_ day: Day) {
        self.day = day
        let largest = day.hours.compactMap { $0.latencyMax ?? $0.latencyMean }.max()
        chart = Chart(
            name: "latency",
            title: "Mean and longest time until Apple had accepted a push, in each of the last 24 hours",
            description: Self.description(day, slowest: largest),
            largest: max(largest ?? 0, 100),
            label: { Words.milliseconds($0) }
        )
    }

    var figure: Markup {
        """
        <figure>
        <h3>Time until Apple has accepted a push</h3>
        \(chart.svg(day.hours, hour: marks))
        <ul class="legend">
        <li>\(key("mean")) mean of the hour</li>
        <li>\(key("slowest")) slowest of the hour</li>
        </ul>
        </figure>
        """
    }

    private static func description(_ day: Day, slowest: Int?) -> String {
        let means = day.hours.compactMap(\.latencyMean)
        guard let slowest, let least = means.min(), let most = means.max() else {
            return "Apple accepted no push in these hours."
        }
        return "The mean of an hour was between \(Words.milliseconds(least)) and \(Words.milliseconds(most)), and the "
            + "slowest push took \(Words.milliseconds(slowest)). The table of figures below has every hour."
    }

    private func marks(_ column: Int, _ hour: StatusReport.Hour) -> Markup {
        let x = Chart.x(column, plus: 183)
        guard let mean = hour.latencyMean else { return "\(hitArea(column))" }
        var slowest: (words: String, mark: Markup) = ("", "")
        if let time = hour.latencyMax {
            slowest.words = ", slowest \(Words.milliseconds(time))"
            slowest.mark = """
                <line class="reach" x1="\(x)" x2="\(x)" y1="\(chart.y(mean))" y2="\(chart.y(time))"/>\
                <circle class="slowest" cx="\(x)" cy="\(chart.y(time))" r="3.5"/>
                """
        }
        return """
            <title>\(hour.clock) UTC: mean \(Words.milliseconds(mean))\(slowest.words)</title>\(hitArea(column))\
            \(slowest.mark)<circle class="mean" cx="\(x)" cy="\(chart.y(mean))" r="3.5"/>
            """
    }

    private func key(_ kind: String) -> Markup {
        """
        <svg xmlns="http://www.w3.org/2000/svg" class="key" width="12" height="12" aria-hidden="true">\
        <circle class="\(kind)" cx="6" cy="6" r="3.5"/></svg>
        """
    }
}
