import Testing

/// Waits until a condition holds, however busy the machine is; it fails the test when that does not come about.
///
/// - Parameter time: far more than it takes, unless that is what the test is about.
func eventually(
    within time: Duration = .seconds(60),
    at location: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + time
    while try await !condition() {
        try #require(.now < deadline, "it did not come about within \(time)", sourceLocation: location)
        // Not for the time to pass, but so as not to take the processor from what is waited for.
        try await Task.sleep(for: .milliseconds(10))
    }
}
