/// A text in Prometheus' format for exposition, version 0.0.4, family by family.
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/
struct MetricText {
    enum Kind: String {
        case counter, gauge, histogram
    }

    typealias Labels = KeyValuePairs<String, String>

    private(set) var octets: [UInt8] = []
    private var name = ""

    /// Begins a family; its samples follow, and no other family of the name.
    mutating func begin(_ kind: Kind, _ name: String, _ help: String) {
        self.name = name
        add("# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n")
    }

    /// A sample of the family, with a suffix to its name where that is a histogram.
    mutating func sample(_ value: some BinaryInteger, _ labels: Labels = [:], suffix: String = "") {
        sample(text: "\(value)", labels, suffix)
    }

    mutating func sample(_ value: Double, _ labels: Labels = [:], suffix: String = "") {
        // Swift's own words for what is no number are others.
        let text = value.isFinite ? "\(value)" : value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf"
        sample(text: text, labels, suffix)
    }

    /// A family of one sample; without a value it is left out.
    mutating func family(_ kind: Kind, _ name: String, _ help: String, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        begin(kind, name, help)
        sample(value)
    }

    mutating func family(_ kind: Kind, _ name: String, _ help: String, _ value: Double?) {
        guard let value else { return }
        begin(kind, name, help)
        sample(value)
    }

    mutating func family(_ name: String, _ help: String, _ histogram: Histogram) {
        begin(.histogram, name, help)
        for (bound, count) in histogram.cumulative { sample(count, ["le": bound], suffix: "_bucket") }
        sample(histogram.count, ["le": "+Inf"], suffix: "_bucket")
        sample(histogram.sum, suffix: "_sum")
        sample(histogram.count, suffix: "_count")
    }

    private mutating func sample(text: String, _ labels: Labels, _ suffix: String) {
        let pairs = labels.map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }.joined(separator: ",")
        add("\(name)\(suffix)\(pairs.isEmpty ? "" : "{\(pairs)}") \(text)\n")
    }

    private mutating func add(_ text: String) {
        octets += text.utf8
    }

    /// By scalars: a line feed behind a carriage return is one Character with it.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
