/// The figures of both charts, for whoever cannot see them or wants them exactly.
struct DayTable {
    private let hours: [StatusReport.Hour]

    init(_ day: Day) {
        hours = day.hours.reversed().filter { $0.total > 0 || $0.latencyMean != nil }
    }

    /// Closed until it is asked for.
    var details: Markup {
        guard !hours.isEmpty else { return "" }
        return """
            <details>
            <summary>Figures of each hour</summary>
            <table class="hours" role="table">
            <caption>Hours with pushes, the newest first</caption>
            <thead role="rowgroup"><tr role="row">
            \(.each(["hour, UTC"] + Day.Outcome.allCases.map(\.words) + ["mean", "slowest"], heading))
            </tr></thead>
            <tbody role="rowgroup">
            \(.each(hours, row))
            </tbody>
            </table>
            <p class="note">\(meanings).</p>
            </details>
            """
    }

    private var meanings: String {
        Day.Outcome.allCases.map { "\($0.words): \($0.meaning)" }.joined(separator: "; ")
    }

    private func heading(_ words: String) -> Markup {
        "<th scope=\"col\" role=\"columnheader\">\(words)</th>\n"
    }

    private func row(_ hour: StatusReport.Hour) -> Markup {
        """
        <tr role="row"><th scope="row" role="rowheader">\(hour.clock)</th>\
        \(.each(Day.Outcome.allCases) { count($0.words, hour[keyPath: $0.figure]) })\
        \(latency("mean", hour.latencyMean))\(latency("slowest", hour.latencyMax))</tr>

        """
    }

    private func count(_ name: String, _ count: Int) -> Markup {
        cell(name, Words.number(count), isNothing: count == 0)
    }

    private func latency(_ name: String, _ time: Int?) -> Markup {
        cell(name, time.map(Words.milliseconds) ?? "–", isNothing: time == nil)
    }

    private func cell(_ name: String, _ words: String, isNothing: Bool) -> Markup {
        "<td role=\"cell\" data-name=\"\(name)\" class=\"\(isNothing ? "nothing" : "some")\">\(words)</td>"
    }
}
