import Foundation
import Glibc
import RelayTesting
import Testing

@testable import Store

/// What a disk may hold of a log behind the last octet that arrived.
private enum Tail: CaseIterable {
    case nothing, zeros, garbage
    /// What lay there before: frames of the log that was last folded into the file.
    case earlierLog
}

struct PowerLossTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    @Test func `a log that is cut anywhere opens with exactly the commits in front of the cut`() async throws {
        let history = try await History(in: folder)
        let (log, states) = (history.log, history.states)
        try #require(log.commits.count == states.count - 1)
        try #require(Set(states).count == states.count)
        try #require(history.earlier.count > log.commits.last ?? 0)
        var (cuts, reached): (Int, Set<Int>) = (0, [])
        for cut in log.cuts {
            for tail in Tail.allCases {
                let octets = Array(log.octets.prefix(cut)) + history.octets(of: tail, from: cut)
                let expected = log.commits(in: octets, cut: cut)
                try history.layOut(octets, in: folder)
                let (integrity, state) = try await history.look(in: folder)
                guard integrity == ["ok"], state == states[expected] else {
                    Issue.record("cut at \(cut) with \(tail): \(integrity), not the state after \(expected) commits")
                    return
                }
                cuts += 1
                reached.insert(expected)
            }
        }
        print("PowerLossTests: \(cuts) cuts of \(log.frames.count) frames with \(log.commits.count) commits")
        #expect(cuts > 1_000)
        #expect(reached.count == states.count)
    }
}

/// Commits of every kind, and what the store held after each.
private struct History {
    let log: WriteAheadLog
    /// The state before the first commit of the log, then after each.
    let states: [[String]]
    /// The log before this one, whose frames are all in the file.
    let earlier: [UInt8]
    private let file: [UInt8]
    private let garbage: [UInt8]

    init(in folder: Folder) async throws {
        let store = try folder.store()
        try await store.execute("PRAGMA wal_autocheckpoint = 0")
        for number in 0..<12 { try await Self.change(store, number) }
        for number in 0..<24 { try await store.setBadge(id("\(number % 6)"), to: Int64(number)) }
        earlier = Array(try folder.octets("relay.sqlite-wal"))
        // All of it goes into the file, and the next commit overwrites the log from its beginning.
        try await store.execute("PRAGMA wal_checkpoint(RESTART)")
        file = Array(try folder.octets())
        var states = [try await Self.state(of: store)]
        for number in 12..<24 {
            try await Self.change(store, number)
            states.append(try await Self.state(of: store))
        }
        self.states = states
        log = WriteAheadLog(Array(try folder.octets("relay.sqlite-wal")))
        var generator = SeededGenerator(seed: 1)
        garbage = log.octets.map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        try #require(Array(try folder.octets()) == file)
        try await store.close()
    }

    /// One commit; each of them changes something.
    private static func change(_ store: Store, _ number: Int) async throws {
        switch number % 6 {
        case 1 where number > 6: try await store.setBadgesEnabled(id("1"), number % 4 == 1)
        case 2 where number > 6: try await store.setBadge(id("2"), to: Int64(number))
        case 3 where number > 6:
            let known = try #require(try await store.subscription(id("0")))
            try await store.accepted(known, environment: number % 4 == 1 ? "sandbox" : "production", at: 7)
        case 4 where number > 6: try await store.delete(id("\(number / 6 + 2)"))
        case 5 where number > 6: _ = try #require(try await store.countUp(id("0")))
        // 0 … 6, then 12 and 18, each in the place of the one before.
        default: try await store.register("\(number)", on: number == 0 ? phone : tablet, account: "\(number % 6)")
        }
    }

    /// Everything that the store can be asked.
    private static func state(of store: Store) async throws -> [String] {
        var state = try await store.rows("SELECT count(*) FROM subscriptions")
        let (key, secret) = (registration("").privateKey, registration("").authSecret)
        for number in Array(0...6) + [12, 18] {
            guard let row = try await store.subscription(id("\(number)")) else { continue }
            state.append(
                """
                \(number) \(row.deviceToken) \(row.account) \(row.label) \(row.privateKey == key) \
                \(row.authSecret == secret) \(row.badgeCount) \(row.badgesEnabled) \(row.createdAt) \(row.environment ?? "-") \(row.acceptedAt ?? 0)
                """
            )
        }
        return state
    }

    /// What lies behind the cut.
    func octets(of tail: Tail, from cut: Int) -> [UInt8] {
        switch tail {
        case .nothing: []
        case .zeros: [UInt8](repeating: 0, count: log.octets.count - cut)
        case .garbage: Array(garbage[cut...])
        case .earlierLog: Array(earlier.dropFirst(cut))
        }
    }

    /// Leaves what the power cut left: the file and this log.
    func layOut(_ octets: [UInt8], in folder: Folder) throws {
        for suffix in ["-shm", ".lock"] { unlink(folder.path("relay.sqlite\(suffix)")) }
        for (name, octets) in [("relay.sqlite", file), ("relay.sqlite-wal", octets)] {
            // A new file each time, and not by Foundation: either would bring it to the disk, which takes its time.
            unlink(folder.path(name))
            let stream = try #require(fopen(folder.path(name), "w"))
            defer { fclose(stream) }
            try #require(fwrite(octets, 1, octets.count, stream) == octets.count)
        }
    }

    /// Opens it as the next start does.
    func look(in folder: Folder) async throws -> (integrity: [String], state: [String]) {
        let store = try folder.store()
        // What is synced when it closes again is not looked at any more.
        try await store.execute("PRAGMA synchronous = OFF")
        let found = (try await store.rows("PRAGMA integrity_check"), try await Self.state(of: store))
        try await store.close()
        return found
    }
}
