/// What both charts have in common: 24 hours from left to right, lines across at round figures, times below.
///
/// Widths are per cent and heights are pixels, with no viewBox: so a chart fills its column at any width, and its words
/// keep the size that the reader chose.
struct Chart {
    /// Where the ground and the topmost line are, from above.
    private static let (ground, top) = (188, 20)
    private static let height = 212

    /// Begins the ids of this chart.
    let name: String
    let title: String
    let description: String
    private let scale: Scale
    private let label: (Int) -> String

    /// - Parameters:
    ///   - largest: the largest figure to be drawn.
    ///   - label: words for the figure at a line.
    init(name: String, title: String, description: String, largest: Int, label: @escaping (Int) -> String) {
        (self.name, self.title, self.description, self.label) = (name, title, description, label)
        scale = Scale(largest)
    }

    /// - Parameter hour: what is drawn in a column, given its number.
    func svg(_ hours: [StatusReport.Hour], hour draw: (Int, StatusReport.Hour) -> Markup) -> Markup {
        """
        <svg xmlns="http://www.w3.org/2000/svg" class="chart" width="100%" height="\(Self.height.digits)" role="img" \
        aria-labelledby="\(name)-title \(name)-text">
        <title id="\(name)-title">\(title)</title>
        <desc id="\(name)-text">\(description)</desc>
        \(.each(scale.lines, line))
        \(.each(hours.enumerated()) { "<g class=\"hour\">\(draw($0, $1))</g>\n" })
        \(.each(hours.enumerated(), time))
        </svg>
        """
    }

    /// The figure's distance from above, in pixels with a decimal.
    func y(_ figure: Int) -> String {
        let tenths = Self.ground * 10 - figure * (Self.ground - Self.top) * 10 / scale.top
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// The height of a bar between two figures, in pixels with a decimal; what there is can be seen.
    func height(from low: Int, to high: Int) -> String {
        let tenths = (high - low) * (Self.ground - Self.top) * 10 / scale.top
        return high > low ? "\(max(tenths, 10) / 10).\(max(tenths, 10) % 10)" : "0"
    }

    /// The distance of a column's left edge from the left, moved to the right by hundredths of a per cent.
    static func x(_ column: Int, plus part: Int = 0) -> String {
        let hundredths = 1_200 + column * 366 + part
        return "\(hundredths / 100).\((hundredths % 100).twoDigits)%"
    }

    private func line(at figure: Int) -> Markup {
        """
        <line class="\(figure == 0 ? "ground" : "across")" x1="0" x2="100%" y1="\(y(figure))" y2="\(y(figure))"/>\
        <text class="figure" x="0" y="\(y(figure))" dy="-5">\(label(figure))</text>

        """
    }

    /// A time below every third hour; a phone shows every second of those.
    private func time(_ column: Int, _ hour: StatusReport.Hour) -> Markup {
        let number = hour.start / 3_600 % 24
        guard number.isMultiple(of: 3) else { return "" }
        return """
            <text class="\(number.isMultiple(of: 6) ? "time" : "time between")" x="\(Self.x(column, plus: 183))" \
            y="\((Self.ground + 18).digits)">\(hour.clock)</text>

            """
    }
}

/// Round figures for three to five lines from 0 up: 1, 2 or 5 and zeros apart.
struct Scale {
    let step: Int
    let top: Int

    init(_ largest: Int) {
        var (step, factors) = (1, [2, 5, 10][...])
        var decade = 1
        while step * 4 < largest, let factor = factors.popFirst() {
            step = decade * factor
            if factor == 10 { (decade, factors) = (step, [2, 5, 10][...]) }
        }
        self.step = step
        top = max((largest + step - 1) / step, 2) * step
    }

    var lines: [Int] { Array(stride(from: 0, through: top, by: step)) }
}

extension Int {
    /// In decimal, without anything between thousands.
    var digits: String { String(self) }

    fileprivate var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}
