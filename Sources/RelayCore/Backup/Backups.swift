package import Store
import Synchronization

/// The backups that the relay makes of its database: by itself at each interval, and when its operator asks.
package final class Backups: Sendable {
    private struct State {
        /// When the newest was made, in Unix seconds; nil while there is none.
        var newest: Int64?
        var failures = 0
        /// When one failed last; the next try comes a while later.
        var failedAt: Int64?
    }

    /// A relay that is restarted in a loop is not to push out the good ones.
    private static let leastAge: Int64 = 3_600
    /// A disk that is full is not better a moment later, and each failure is a line of the log.
    private static let retryTime: Int64 = 600

    package let plan: BackupPlan?
    private let store: Store
    private let clocks: Clocks
    private let log: Log
    private let startedAt: Int64
    private let state: Mutex<State>

    package init(plan: BackupPlan?, store: Store, clocks: Clocks, log: Log) {
        self.plan = plan
        self.store = store
        self.clocks = clocks
        self.log = log
        startedAt = clocks.now()
        state = Mutex(State(newest: plan.flatMap { Self.newest(in: $0, at: clocks.now()) }))
    }

    /// When the newest was made, in Unix seconds; nil while there is none.
    package var newest: Int64? { state.withLock(\.newest) }

    /// How many could not be made since the start.
    package var failures: Int { state.withLock(\.failures) }

    /// Whether the last try came to nothing, though there may be a good one that is young enough.
    package var hasFailed: Bool { state.withLock { $0.failedAt != nil } }

    /// Whether scheduled backups are older than they may be, or there is none and none can be made: a fault that nobody
    /// notices before it is too late.
    package var isOverdue: Bool {
        guard let plan else { return false }
        if state.withLock({ $0.newest == nil && $0.failedAt != nil }) { return true }
        let age = clocks.now() - (newest ?? startedAt)
        return .seconds(age) > plan.oldestHealthy
    }

    /// Makes the one that is due, if any; `isStart` when the relay has just started, which is an occasion of its own.
    package func makeIfDue(isStart: Bool = false) async {
        guard let plan, isDue(plan, isStart) else { return }
        do throws(ControlError) {
            let report = try await make(by: plan, keeping: plan.keep, at: clocks.now())
            log(.info, "backup_made", ["path": report.path, "octets": "\(report.octets)"])
        } catch {
            log(.error, "backup_failed", ["detail": error.message])
        }
    }

    private func isDue(_ plan: BackupPlan, _ isStart: Bool) -> Bool {
        let now = clocks.now()
        return state.withLock { state in
            if let failedAt = state.failedAt, (0..<Self.retryTime).contains(now - failedAt) { return false }
            guard let newest = state.newest else { return true }
            // One that is dated in the future says nothing of how old it is.
            guard newest <= now else { return true }
            let age = now - newest
            return .seconds(age) >= plan.interval || (isStart && age >= Self.leastAge)
        }
    }

    /// Makes one because the operator asks: at a path, or in the directory of the scheduled ones and beside those.
    package func make(at path: String?) async throws(ControlError) -> BackupReport {
        if let path {
            guard path.hasPrefix("/") else { throw .relativeBackupPath }
            try await ControlError.mapping { () async throws(StoreError) in try await store.backup(to: path) }
            return await report(path)
        }
        guard let plan else { throw .noBackupDirectory }
        return try await make(by: plan, keeping: nil, at: clocks.now())
    }

    private func make(
        by plan: BackupPlan,
        keeping count: Int?,
        at now: Int64
    ) async throws(ControlError) -> BackupReport {
        let directory = BackupDirectory(plan.directory)
        let path: String
        do throws(StoreError) {
            path = try await store.backup(into: directory, keeping: count, at: now)
        } catch {
            // It may be there all the same, where only those that are too many could not be removed. In another relay's
            // directory they are that one's.
            let isForeign = if case .notBackedUp(_, .backupsInUse) = error { true } else { false }
            let newest = isForeign ? nil : Self.newest(in: plan, at: now)
            state.withLock { state in
                state.failures += 1
                (state.newest, state.failedAt) = (newest, now)
            }
            throw .database(error)
        }
        state.withLock { ($0.newest, $0.failedAt) = (now, nil) }
        return await report(path)
    }

    private func report(_ path: String) async -> BackupReport {
        // It is made, whatever becomes of the count.
        BackupReport(path: path, octets: Disk.size(of: path), subscriptions: (try? await store.count()) ?? 0)
    }

    /// When the newest was made, by its name; a directory that cannot be read has none.
    private static func newest(in plan: BackupPlan, at now: Int64) -> Int64? {
        (try? BackupDirectory(plan.directory).newest(at: now))?.time
    }
}
