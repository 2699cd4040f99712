import Testing

@testable import RelayCore

@Suite struct CheckDatabaseTests {
    private static let now: Int64 = 1_800_000_000
    private let plan = BackupPlan(directory: "/backups", interval: .seconds(86_400), keep: 14)
    private let well = DatabaseFacts(
        schemaVersion: 5,
        newestSchemaVersion: 5,
        subscriptions: 3,
        size: 40_960,
        space: 20 << 30,
        backupSpace: 1 << 30,
        lastBackup: now - 3_600
    )

    private func lines(_ facts: DatabaseFacts, _ plan: BackupPlan?) -> [CheckLine] {
        CheckLine.database(.success(facts), backups: .success(plan), now: Self.now)
    }

    @Test func `a database that is well has a line for itself, its disk and its backups`() {
        #expect(
            lines(well, plan) == [
                CheckLine("database", .ok, "whole, schema 5, 3 subscriptions, 40.9 kB"),
                CheckLine("database disk", .ok, "21.4 GB left"),
                CheckLine("backups", .ok, "the last is 1 hour old, in /backups"),
                CheckLine("backup disk", .ok, "1.0 GB left"),
            ]
        )
    }

    @Test func `one that nobody can look at is failed with the reason`() {
        let reason = Check.Unavailable("is damaged: restore the last backup")
        let lines = CheckLine.database(.failure(reason), backups: .success(plan), now: Self.now)
        #expect(lines == [CheckLine("database", .failed, "is damaged", remedy: "restore the last backup")])
    }

    @Test func `damage is failed, whatever else is well`() {
        var facts = well
        facts.damage = "row 3 missing from index"
        let line = lines(facts, plan).first
        #expect(line?.state == .failed)
        #expect(line?.text == "is damaged (row 3 missing from index)")
        #expect(line?.remedy == "stop the relay and restore the last backup")
    }

    @Test(
        arguments: [(4, .warning, "restart the relay"), (6, .failed, "install the later release")]
            as [(Int, CheckLine.State, String)]
    )
    func `a schema that is not this program's is told`(version: Int, state: CheckLine.State, remedy: String) {
        var facts = well
        facts.schemaVersion = version
        let line = lines(facts, plan).first
        #expect(line?.state == state)
        #expect(line?.remedy?.hasPrefix(remedy) == true)
    }

    @Test(
        arguments: [
            (40_960, 512 << 20, .ok), (40_960, (512 << 20) - 1, .warning), (40_960, 64 << 20, .warning),
            (40_960, (64 << 20) - 1, .failed), (40_960, 0, .failed), (1 << 30, 4 << 30, .ok),
            (1 << 30, (4 << 30) - 1, .warning),
            (1 << 30, (1 << 30) - 1, .failed),
        ] as [(Int64, Int64, CheckLine.State)]
    )
    func `a disk needs room for the database once more, and some`(size: Int64, space: Int64, state: CheckLine.State) {
        var facts = well
        (facts.size, facts.space, facts.backupSpace) = (size, space, space)
        for line in lines(facts, plan) where line.name.hasSuffix("disk") {
            #expect(line.state == state)
            #expect((line.remedy?.hasPrefix("make room") == true) == (state != .ok))
        }
    }

    @Test func `a disk that nothing is known of is skipped`() {
        var facts = well
        (facts.space, facts.backupSpace) = (nil, nil)
        #expect(lines(facts, plan).filter { $0.name.hasSuffix("disk") }.map(\.state) == [.skipped, .skipped])
    }

    @Test(
        arguments: [
            (0, .ok, "less than a minute"), (-5, .ok, "less than a minute"), (7_200, .ok, "2 hours"),
            (172_800, .ok, "2 days"),
            (172_801, .failed, "2 days"),
            (Int64.max, .failed, "years"),
        ] as [(Int64, CheckLine.State, String)]
    )
    func `a backup may be twice the interval old`(age: Int64, state: CheckLine.State, text: String) {
        var facts = well
        facts.lastBackup = Self.now.subtractingReportingOverflow(age).partialValue
        let line = lines(facts, plan).first { $0.name == "backups" }
        #expect(line?.state == state)
        #expect(line?.text.contains(text) == true)
        #expect((line?.remedy?.contains("BACKUP_DIR") == true) == (state != .ok))
    }

    @Test func `no backup at all is failed where they are wanted, and a warning where they are not`() {
        var facts = well
        facts.lastBackup = nil
        #expect(lines(facts, plan).first { $0.name == "backups" }?.state == .failed)
        let unwanted = lines(facts, nil)
        #expect(unwanted.map(\.name) == ["database", "database disk", "backups"])
        #expect(unwanted.last?.state == .warning)
        #expect(unwanted.last?.remedy?.contains("BACKUP_DIR") == true)
    }
}
