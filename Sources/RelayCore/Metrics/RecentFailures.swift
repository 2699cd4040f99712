import Synchronization

/// The last lines of the log at warning and error, for whoever looks at the relay and not at the log.
package final class RecentFailures: Sendable {
    /// One line: what stands in the log, so no secret either.
    package struct Entry: Sendable, Equatable {
        /// Seconds since 1970.
        package let time: Int64
        package let level: Log.Level
        package let event: String
        /// At most 500 octets, like the remedy.
        package let cause: String?
        package let remedy: String?

        package init(time: Int64, level: Log.Level, event: String, cause: String? = nil, remedy: String? = nil) {
            self.time = time
            self.level = level
            self.event = event
            self.cause = cause
            self.remedy = remedy
        }
    }

    private struct Ring {
        var entries: [Entry] = []
        /// Where the next one goes, once there are as many as there may be.
        var next = 0
    }

    private let now: @Sendable () -> Int64
    private let ring = Mutex(Ring())

    /// How many are kept; a line that pushes repeat is in the log once a minute, so that it cannot push out the others.
    static let most = 50
    private static let longestText = 500

    /// - Parameter now: seconds since 1970.
    package init(now: @escaping @Sendable () -> Int64) {
        self.now = now
    }

    /// The latest first.
    package var entries: [Entry] {
        ring.withLock { ring in (ring.entries[ring.next...] + ring.entries[..<ring.next]).reversed() }
    }

    /// Takes note of a line of the log.
    func note(_ level: Log.Level, _ event: String, _ fields: KeyValuePairs<String, String?>) {
        func text(_ names: String...) -> String? {
            names.lazy.compactMap { name in fields.first { $0.key == name }?.value }.first?
                .cut(toOctets: Self.longestText)
        }
        let entry = Entry(
            time: now(),
            level: level,
            event: event,
            // Where there is a detail it says what the machine word of an error only names.
            cause: text("cause", "detail", "error"),
            remedy: text("remedy")
        )
        ring.withLock { ring in
            guard ring.entries.count == Self.most else { return ring.entries.append(entry) }
            ring.entries[ring.next] = entry
            ring.next = (ring.next + 1) % Self.most
        }
    }
}
