/// The subscriptions as a table for a terminal; labels and accounts are what a client sent, so nothing in them gets
/// through that a terminal would act on.
package struct SubscriptionTable {
    private static let titles = [
        "HASH", "DEVICE", "LABEL", "ACCOUNT", "SERVICE", "CREATED", "LAST ACCEPTED", "BADGE", "LAST FAILURE",
    ]

    private let rows: [[String]]

    package init(_ reports: [SubscriptionReport]) {
        rows = reports.map { report in
            [
                report.hash, report.device, Self.cell(report.label), Self.cell(report.account),
                report.environment ?? "-", Self.time(report.createdAt), Self.time(report.lastAcceptedAt),
                report.badgesEnabled ? "\(report.badge)" : "\(report.badge) (off)",
                report.lastFailedAt.map { "\(Self.time($0)) \(Self.cell(report.lastFailure ?? ""))" } ?? "-",
            ]
        }
    }

    /// Without a line feed at its end.
    package var text: String {
        guard !rows.isEmpty else { return "There is no subscription: open the app, and turn notifications on there." }
        let all = [Self.titles] + rows
        let widths = Self.titles.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
                .trimmingTrailingSpaces
        }.joined(separator: "\n")
    }

    private static func cell(_ text: String) -> String {
        text.isEmpty ? "-" : text.printable
    }

    private static func time(_ seconds: Int64?) -> String {
        seconds.map { UTCTime($0).words } ?? "-"
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
