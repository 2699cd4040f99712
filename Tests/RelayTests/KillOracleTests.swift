import Foundation
import RelayTesting
import Testing

/// Holds the relay to its answers while it is killed; it has the machine to itself.
///
/// A kill leaves what was written in the kernel's hands, so this finds an answer that comes before its commit, a commit
/// that is not whole and a file that does not recover, but never a commit that is not synced: with `synchronous = OFF` it
/// passes. That is what `SyncTests` are for.
@Suite(.serialized, .timeLimit(.minutes(60))) struct KillOracleTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test func `what was answered holds, however often and whenever the relay is killed`() async throws {
        let rounds = Self.number("KILL_ORACLE_ROUNDS") ?? 100
        try #require(rounds > 0, "KILL_ORACLE_ROUNDS has to be 1 or more")
        let seed = Self.number("KILL_ORACLE_SEED") ?? .random(in: .min ... .max)
        print("KillOracleTests: KILL_ORACLE_SEED=\(seed) KILL_ORACLE_ROUNDS=\(rounds)")
        let oracle = try await KillOracle(seed: seed)
        for round in 1...rounds {
            await oracle.round()
            guard oracle.objections.isEmpty else {
                let kept = try oracle.keep(seed)
                let said = oracle.objections.joined(separator: "\n")
                Issue.record("kill \(round) of seed \(seed); folder and log are in \(kept):\n\(said)")
                return
            }
        }
        try await oracle.finish()
        #expect(oracle.objections == [])

        var sum = KillOracleClient.Tally()
        for client in oracle.clients { sum.add(await client.tally) }
        print("KillOracleTests: \(rounds) kills, \(sum)")
        // What nobody asked for cannot be broken: each kind was promised, and kills did come in the middle. How often is
        // the disk's to say.
        #expect(sum.least > 0)
    }

    @Test func `a database that forgets a second is found out`() async throws {
        let oracle = try await KillOracle(seed: 1)
        await oracle.round()
        #expect(oracle.objections == [])
        let earlier = try LeftBehind(in: oracle.folder)
        try await oracle.run()
        try earlier.putBack(to: oracle.folder)
        try await oracle.judge()
        #expect(oracle.objections != [])
    }
}

extension KillOracleClient.Tally {
    fileprivate mutating func add(_ other: Self) {
        pushes += other.pushes
        registrations += other.registrations
        deletions += other.deletions
        settings += other.settings
        doubts += other.doubts
    }

    fileprivate var least: Int { min(pushes, registrations, deletions, settings, doubts) }
}
