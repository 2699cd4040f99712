/// When something happened, by a count that every beginning and every end adds one to.
struct Interval: Sendable {
    let start: Int
    let end: Int
}

/// What was done to one account's counter on one device, and what can be said about the counter at any time.
///
/// Nobody knows in which order the relay did what was under way at once. So this gives the least and the most that some
/// order would have led to; where nothing overlapped the two are the same.
struct CounterHistory: Sendable {
    /// One push, from its request to its answer.
    struct Push: Sendable {
        let number: Int
        let registration: Int
        let interval: Interval
        let status: Int
    }

    /// The app's word: the counter, or whether badges are shown.
    struct Setting<Value: Sendable>: Sendable {
        let value: Value
        /// Which of the registrations it was for; each begins at 0 with badges on.
        let registration: Int
        let interval: Interval
    }

    private(set) var counts: [Setting<Int>] = []
    private(set) var switches: [Setting<Bool>] = []
    private(set) var pushes: [Push] = []

    /// How often the account registered on the device.
    private(set) var registrations = 0

    mutating func registered(_ interval: Interval) {
        registrations += 1
        counts.append(Setting(value: 0, registration: registrations, interval: interval))
        switches.append(Setting(value: true, registration: registrations, interval: interval))
    }

    mutating func set(to count: Int, _ interval: Interval) {
        counts.append(Setting(value: count, registration: registrations, interval: interval))
    }

    mutating func switched(_ isOn: Bool, _ interval: Interval) {
        switches.append(Setting(value: isOn, registration: registrations, interval: interval))
    }

    mutating func pushed(_ push: Push) { pushes.append(push) }

    /// The settings of which each may have been the last one at some time in the interval; one followed the other.
    private static func candidates<Value>(_ settings: [Setting<Value>], in interval: Interval) -> ArraySlice<
        Setting<Value>
    > {
        let first = settings.lastIndex { $0.interval.end < interval.start } ?? 0
        let last = settings.lastIndex { $0.interval.start < interval.end } ?? first
        return settings[first...last]
    }

    /// The values that the counter may have had in the interval.
    func count(in interval: Interval) -> ClosedRange<Int> {
        var (least, most) = (Int.max, 0)
        for setting in Self.candidates(counts, in: interval) {
            var (surely, possibly) = (setting.value, setting.value)
            for push in pushes where push.registration == setting.registration {
                let other = push.interval
                guard other.start < interval.end, other.end > setting.interval.start else { continue }
                switch push.status {
                case 201:
                    possibly += 1
                    if other.start > setting.interval.end, other.end < interval.start { surely += 1 }
                case 502:
                    // Counted only while it was under way.
                    if other.end > interval.start { possibly += 1 }
                default: break
                }
            }
            (least, most) = (min(least, surely), max(most, possibly))
        }
        return least...most
    }

    /// Whether badges may have been on in the interval, and whether they may have been off.
    func switches(in interval: Interval) -> Set<Bool> {
        Set(Self.candidates(switches, in: interval).map(\.value))
    }

    /// What the counter may have added to its device's badge in the interval.
    func share(in interval: Interval) -> ClosedRange<Int> {
        let (count, switches) = (count(in: interval), switches(in: interval))
        return (switches.contains(false) ? 0 : count.lowerBound)...(switches.contains(true) ? count.upperBound : 0)
    }
}
