import Glibc

/// The relay's log: one line an event, as `key=value` pairs or as JSON.
///
/// No event carries a device token, an id, a key, a token or a text of a message. A subscription is named by the first
/// eight hex digits of its id's SHA-256.
package struct Log: Sendable {
    package enum Level: String, Sendable, CaseIterable, Comparable {
        case debug, info, warning, error

        package static func < (left: Level, right: Level) -> Bool {
            left.rank < right.rank
        }

        private var rank: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .warning: 2
            case .error: 3
            }
        }
    }

    package enum Format: String, Sendable, CaseIterable {
        case text, json
    }

    private let level: Level
    private let format: Format
    private let failures: RecentFailures?
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - level: events below it are not written.
    ///   - failures: takes note of the events at warning and error, whatever `level` is.
    ///   - write: takes one whole line with its line feed, from any thread, and keeps none of them waiting.
    package init(
        level: Level,
        format: Format,
        failures: RecentFailures? = nil,
        write: @escaping @Sendable (String) -> Void
    ) {
        self.level = level
        self.format = format
        self.failures = failures
        self.write = write
    }

    /// Writes one event; `fields` keep their order, and a nil value leaves its field out.
    package func callAsFunction(_ level: Level, _ event: String, _ fields: KeyValuePairs<String, String?> = [:]) {
        if level >= .warning { failures?.note(level, event, fields) }
        guard level >= self.level else { return }
        write(Self.line(level, event, fields, format))
    }

    /// One event as it is written, with its line feed.
    package static func line(
        _ level: Level,
        _ event: String,
        _ fields: KeyValuePairs<String, String?>,
        _ format: Format
    ) -> String {
        var line = LogLineText(format)
        line.add("time", LogLineText.now())
        line.add("level", level.rawValue)
        line.add("event", event)
        for case (let key, let value?) in fields { line.add(key, value) }
        return line.ended()
    }
}

/// Writes a text from the calling thread, which waits for it: for the words of a command, or of a start that fails.
///
/// - Returns: false when not all of it could be written, and then `errno` says why.
@discardableResult
package func write(_ text: String, to descriptor: Int32) -> Bool {
    var octets = Array(text.utf8)[...]
    while !octets.isEmpty {
        let written = octets.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if written > 0 { octets = octets.dropFirst(written) } else if errno != EINTR { return false }
    }
    return true
}
