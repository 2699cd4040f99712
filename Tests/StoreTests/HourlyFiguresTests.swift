import Testing

@testable import Store

struct HourlyFiguresTests {
    let folder: Folder
    let store: Store

    init() throws {
        folder = try Folder()
        store = try folder.store()
    }

    @Test func `figures of one hour add up, and the longest wait is kept`() async throws {
        let first = HourlyFigures(
            hour: 500_000,
            accepted: 1,
            repeated: 2,
            gone: 3,
            refused: 4,
            limited: 5,
            failed: 6,
            latencyCount: 7,
            latencyMilliseconds: 800,
            latencyMost: 300
        )
        let second = HourlyFigures(
            hour: 500_000,
            accepted: 10,
            repeated: 20,
            gone: 30,
            refused: 40,
            limited: 50,
            failed: 60,
            latencyCount: 70,
            latencyMilliseconds: 1_000,
            latencyMost: 200
        )
        try await store.add(first)
        #expect(try await store.hours(since: 0) == [first])
        try await store.add(second)
        let sum = HourlyFigures(
            hour: 500_000,
            accepted: 11,
            repeated: 22,
            gone: 33,
            refused: 44,
            limited: 55,
            failed: 66,
            latencyCount: 77,
            latencyMilliseconds: 1_800,
            latencyMost: 300
        )
        #expect(try await store.hours(since: 0) == [sum])
        try await store.close()
        #expect(try await folder.store().hours(since: 0) == [sum])
    }

    @Test func `hours come in order, from the one that is asked for`() async throws {
        for hour in [12, 10, 11, 9] as [Int64] { try await store.add(HourlyFigures(hour: hour, failed: Int(hour))) }
        #expect(try await store.hours(since: 10).map(\.hour) == [10, 11, 12])
        #expect(try await store.hours(since: 10).map(\.failed) == [10, 11, 12])
        #expect(try await store.hours(since: 13) == [])
    }

    @Test func `an hour is forgotten after thirty days`() async throws {
        try await store.add(HourlyFigures(hour: 1_000))
        try await store.add(HourlyFigures(hour: 1_001))
        try await store.add(HourlyFigures(hour: 1_719))
        #expect(try await store.hours(since: 0).map(\.hour) == [1_000, 1_001, 1_719])
        try await store.add(HourlyFigures(hour: 1_720))
        #expect(try await store.hours(since: 0).map(\.hour) == [1_001, 1_719, 1_720])
    }

    @Test func `figures out of all reason are stored as less, and do not fail`() async throws {
        for hour in [Int64.min, .max] {
            for _ in 0..<3 {
                try await store.add(HourlyFigures(hour: hour, accepted: .max, failed: .min, latencyMost: .max))
            }
        }
        let figures = try #require(try await store.hours(since: .min).last)
        #expect(figures.failed == 0)
        #expect(figures.accepted == 3 << 40)
        #expect(figures.latencyMost == 1 << 40)
    }

    @Test func `what cannot be written is as it was`() async throws {
        try await store.add(HourlyFigures(hour: 1, accepted: 1))
        try await store.execute("PRAGMA query_only = ON")
        await #expect(throws: StoreError.self) { try await store.add(HourlyFigures(hour: 1, accepted: 1)) }
        try await store.execute("PRAGMA query_only = OFF")
        #expect(try await store.hours(since: 0).map(\.accepted) == [1])
    }
}
