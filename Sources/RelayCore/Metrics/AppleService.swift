import APNs

/// Where pushes go, as the numbers name it.
package enum AppleService: Int, Sendable, CaseIterable {
    case production, sandbox
    /// The one that stands in for both in tests.
    case substitute

    /// Its name in the numbers and in the log.
    package var label: String {
        switch self {
        case .production: Environment.production.rawValue
        case .sandbox: Environment.sandbox.rawValue
        case .substitute: "substitute"
        }
    }
}
