/// Which of Apple's two services knows a device token (Apple, "Sending notification requests to APNs").
package enum Environment: String, Sendable, CaseIterable {
    /// Builds from the App Store and TestFlight.
    case production
    /// Builds that Xcode puts on a device.
    case sandbox

    package var origin: String {
        switch self {
        case .production: "https://api.push.apple.com"
        case .sandbox: "https://api.sandbox.push.apple.com"
        }
    }

    package var other: Environment {
        switch self {
        case .production: .sandbox
        case .sandbox: .production
        }
    }
}
