package import Testing

/// Lets a few tests run at once and no more.
///
/// Each starts programs, and a relay that waits for a processor misses the 8 s that it gives Apple: a hundred of them at
/// once would fail on a small machine for no fault of theirs.
///
/// Their suites have no time limit: it would count how long a test waits for its place.
package struct FewAtATime: SuiteTrait, TestTrait, TestScoping {
    fileprivate let places: Places

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await places.take()
        let result: Result<Void, any Error>
        do { result = .success(try await function()) } catch { result = .failure(error) }
        await places.give()
        try result.get()
    }
}

extension Trait where Self == FewAtATime {
    /// For tests that keep a processor busy: three at once.
    package static var fewAtATime: FewAtATime { FewAtATime(places: few) }

    /// For tests that wait for most of their time: eight at once.
    package static var severalAtATime: FewAtATime { FewAtATime(places: several) }
}

private let few = Places(3)
private let several = Places(8)

private actor Places {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func take() async {
        guard free == 0 else { return free -= 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    func give() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
