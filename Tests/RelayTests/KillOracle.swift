import Foundation
import Glibc
import RelayTesting
import Synchronization

/// Eight clients of a relay that is killed again and again, and what they were promised.
final class KillOracle {
    let folder: TemporaryFolder
    let clients: [KillOracleClient]
    private(set) var objections: [String] = []
    private let apple: AppleSimulator
    private var generator: SeededGenerator
    private var appleLines = 0
    /// What the relays said, for when something is found.
    private var log: [String] = []

    init(seed: UInt64) async throws {
        folder = try TemporaryFolder()
        apple = try await AppleSimulator()
        clients = (0..<8).map { KillOracleClient($0, seed: seed) }
        generator = SeededGenerator(seed: seed)
    }

    /// A life of the relay, and what it left.
    func round() async {
        do {
            try await run()
            try await judge()
        } catch {
            // Such as a relay that does not start, or that is gone before it was killed.
            objections.append("\(error)")
        }
    }

    /// Starts the relay, holds it to what was promised before, has all clients work, and kills it somewhere in between.
    func run() async throws {
        let relay = try await RelayProgram(apple: apple, in: folder)
        try await forEachClient { try await $0.settle(with: relay.address) }
        // The one thing here that happens at a time, and not after something: nobody is asked when to die.
        let moment = Duration.milliseconds(Int.random(in: 20...300, using: &generator))
        let promises = PromisedDevice.Promise.allCases
        let promise = Bool.random(using: &generator) ? promises.randomElement(using: &generator) : nil
        let death = Death(relay.program)
        async let timer: Void = {
            try await Task.sleep(for: moment)
            death.come(after: promise)
        }()
        try await forEachClient { try await $0.work(until: death) }
        try await timer
        try await ended(relay, code: 128 + SIGKILL)
    }

    /// Looks at what the kill has left: at a copy of it, so that the relay finds it as it was.
    func judge() async throws {
        let copy = try LeftBehind(in: folder)
        let damage = try copy.damage()
        if damage != ["ok"] { objections += damage }
        let store = try copy.store()
        var expected = 0...0
        for client in clients {
            let rows = try await client.judge(store)
            expected = (expected.lowerBound + rows.lowerBound)...(expected.upperBound + rows.upperBound)
        }
        // So there is none beside those that were answered: one for each account of a device, ten for a device.
        let count = try copy.rows("SELECT count(*) FROM subscriptions").first.flatMap { Int($0) } ?? -1
        if !expected.contains(count) { objections.append("there are \(count) rows, not \(expected)") }

        let seen = try await apple.requests(from: appleLines)
        appleLines = seen.lines
        for client in clients { await client.judge(seen.requests) }
        for client in clients { objections += await client.objections }
    }

    /// A start and an orderly end, in which everything is asked for that ever was.
    func finish() async throws {
        let relay = try await RelayProgram(apple: apple, in: folder)
        try await forEachClient { try await $0.settle(with: relay.address, completely: true) }
        relay.program.signal(SIGTERM)
        try await ended(relay, code: 0)
        try await judge()
    }

    private func ended(_ relay: RelayProgram, code: Int32) async throws {
        let ended = await relay.program.end()
        if ended != code { objections.append("the relay ended with \(ended), not with \(code)") }
        log += relay.program.lines + relay.program.errors
    }

    private func forEachClient(_ body: @escaping @Sendable (KillOracleClient) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { try await body(client) } }
            try await group.waitForAll()
        }
    }
}

extension KillOracle {
    /// Keeps folder and log, and says where.
    func keep(_ seed: UInt64) throws -> String {
        let kept = Vectors.repository.appending(path: ".build/kill-oracle/\(seed)")
        try? FileManager.default.removeItem(at: kept)
        try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
        try copyFiles(of: folder, to: kept)
        let said = objections + [""] + log
        try Data(said.joined(separator: "\n").utf8).write(to: kept.appending(path: "log.txt"))
        return kept.path
    }
}

/// Kills a relay: at once, or as soon as it has promised something.
final class Death: Sendable {
    private let program: Program
    private let awaited = Mutex<PromisedDevice.Promise?>(nil)

    init(_ program: Program) { self.program = program }

    /// Without a promise it comes at once, in the middle of whatever the relay does.
    func come(after promise: PromisedDevice.Promise?) {
        guard promise != nil else { return program.signal(SIGKILL) }
        awaited.withLock { $0 = promise }
    }

    /// For the client to call when an answer is there, before it does anything else.
    func promised(_ promise: PromisedDevice.Promise?) {
        guard let promise, awaited.withLock({ $0 == promise }) else { return }
        program.signal(SIGKILL)
    }
}
