/// How many durations there were of each size.
package struct Histogram: Sendable {
    /// The upper ends of the buckets in nanoseconds, and how they are written in seconds; a last one has none.
    static let bounds: [(nanoseconds: Int64, seconds: String)] = [
        (5_000_000, "0.005"), (10_000_000, "0.01"), (25_000_000, "0.025"), (50_000_000, "0.05"),
        (100_000_000, "0.1"), (250_000_000, "0.25"), (500_000_000, "0.5"), (1_000_000_000, "1"),
        (2_500_000_000, "2.5"), (5_000_000_000, "5"), (10_000_000_000, "10"),
    ]

    /// By bucket, each duration in one.
    private var counts = [Int](repeating: 0, count: bounds.count + 1)
    private var nanoseconds: Int64 = 0

    package init() {}

    package mutating func add(_ time: Duration) {
        let time = time.nanoseconds
        counts[Self.bounds.firstIndex { time <= $0.nanoseconds } ?? Self.bounds.count] &+= 1
        nanoseconds &+= time
    }

    package var count: Int { counts.reduce(0, &+) }

    /// All durations together, in seconds.
    package var sum: Double { Double(nanoseconds) / 1e9 }

    /// For each bound, how many were no longer than it.
    package var cumulative: [(bound: String, count: Int)] {
        var count = 0
        return zip(Self.bounds, counts).map { bound, new in
            count &+= new
            return (bound.seconds, count)
        }
    }
}

extension Duration {
    /// Whole ones, 0 for a negative time, and at most thirty years of them.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return min(seconds, 1_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
