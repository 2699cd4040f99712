import APNs
import Foundation
import RelayTesting
import Testing

@testable import RelayCore

@Suite(.fewAtATime) struct ExpositionTests {
    /// Everything that can be said, of a relay that has met everything that it counts.
    private func full() async throws -> Snapshot {
        var snapshot = try await TestRelay.meetingEveryOutcome().snapshot()
        snapshot.subscriptions = 3
        snapshot.isDeletionGuardClosed = true
        snapshot.backupLastSuccess = 1_700_000_000
        snapshot.backupInterval = 86_400
        snapshot.databaseSize = 40_960
        snapshot.databaseDiskFree = 1 << 40
        snapshot.backupDiskFree = 1
        snapshot.publicCertificateExpires = 1_800_000_000
        return snapshot
    }

    private func lines(_ snapshot: Snapshot) -> [String] {
        text(snapshot).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private func text(_ snapshot: Snapshot) -> String {
        String(decoding: Exposition(snapshot).octets, as: UTF8.self)
    }

    @Test func `promtool finds nothing wrong with it`() async throws {
        let folder = try TemporaryFolder()
        for (name, snapshot) in [("full", try await full()), ("new", Meters(startedAt: 0).snapshot())] {
            let file = folder.path(name)
            try Data(Exposition(snapshot).octets).write(to: URL(filePath: file))
            let program = try Program("/bin/sh", ["-c", #"exec /usr/bin/promtool check metrics <"$0""#, file])
            #expect(await program.end() == 0)
            #expect(program.lines == [])
            #expect(program.errors == [])
        }
    }

    @Test func `each family comes once, with its help and its type before its samples, and the end is a line feed`()
        async throws
    {
        var lines = lines(try await full())
        #expect(lines.removeLast().isEmpty)
        var families: [String] = []
        var types: [String: String] = [:]
        for line in lines {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# HELP ") {
                families.append(words[2])
                #expect(words.count == 4)
            } else if line.hasPrefix("# TYPE ") {
                #expect(words[2] == families.last)
                types[words[2]] = words[3]
            } else {
                let family = try #require(families.last)
                let name = line.prefix { $0 != "{" && $0 != " " }
                let suffixes = types[family] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                #expect(suffixes.contains { name == family + $0 }, "\(line)")
            }
        }
        #expect(Set(families).count == families.count)
        #expect(Set(families) == Set(types.keys))
        #expect(Set(families) == Self.names)
    }

    private static let names: Set = [
        "relay_build_info", "relay_pushes_total", "relay_apple_answers_total", "relay_push_duration_seconds",
        "relay_apple_duration_seconds", "relay_pushes_in_flight", "relay_apple_queue", "relay_apple_in_flight",
        "relay_apple_connections_opened_total", "relay_provider_token_age_seconds", "relay_subscriptions",
        "relay_subscriptions_limit", "relay_registrations_total", "relay_badge_take_backs_total",
        "relay_suppressed_retries_total", "relay_limits_hit_total", "relay_database_errors_total",
        "relay_log_lines_lost_total", "relay_http_connections", "relay_last_accepted_timestamp_seconds",
        "relay_deletion_guard_closed", "relay_backup_last_success_timestamp_seconds", "relay_backup_interval_seconds",
        "relay_backup_failures_total", "relay_database_size_bytes", "relay_disk_free_bytes",
        "relay_public_certificate_expires_timestamp_seconds", "process_start_time_seconds",
        "process_cpu_seconds_total", "process_resident_memory_bytes", "process_virtual_memory_bytes",
        "process_open_fds", "process_max_fds",
    ]

    @Test func `the counts of a session are there, each with its label`() async throws {
        let lines = lines(try await full())
        let expected = PushOutcome.allCases.map { outcome in
            #"relay_pushes_total{outcome="\#(outcome.label)"} \#(TestRelay.everyOutcome[outcome] ?? -1)"#
        }
        #expect(lines.filter { $0.hasPrefix("relay_pushes_total{") } == expected)
        for line in [
            #"relay_build_info{version="\#(relayVersion)"} 1"#,
            #"relay_apple_answers_total{environment="substitute",status="200",reason=""} 1"#,
            #"relay_apple_answers_total{environment="substitute",status="400",reason="BadDeviceToken"} 4"#,
            #"relay_apple_answers_total{environment="substitute",status="0",reason="timeout"} 0"#,
            #"relay_apple_queue{environment="substitute"} 0"#, "relay_provider_token_age_seconds 1.0",
            #"relay_limits_hit_total{limit="strays"} 1"#, #"relay_limits_hit_total{limit="requests"} 0"#,
            "relay_suppressed_retries_total 1", "relay_badge_take_backs_total 9", "relay_deletion_guard_closed 1",
            #"relay_disk_free_bytes{disk="database"} 1099511627776"#, "relay_subscriptions 3",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test func `every count that there may be is there from the start, and what is not known is left out`() {
        var snapshot = Meters(startedAt: 5).snapshot()
        snapshot.apple = [(.sandbox, .init(queued: 0, inFlight: 0, connectionsOpened: 0))]
        let text = text(snapshot)
        for outcome in PushOutcome.allCases {
            #expect(text.contains("\nrelay_pushes_total{outcome=\"\(outcome.label)\"} 0\n"))
        }
        #expect(text.contains(#"{environment="sandbox",status="403",reason="InvalidProviderToken"} 0"#))
        #expect(!text.contains("production"))
        #expect(text.contains("\nrelay_last_accepted_timestamp_seconds 0\n"))
        #expect(text.contains("\nprocess_start_time_seconds 5\n"))
        for name in [
            "relay_provider_token_age_seconds", "relay_subscriptions ", "relay_deletion_guard_closed",
            "relay_backup_last_success_timestamp_seconds", "relay_disk_free_bytes", "process_open_fds",
            "relay_public_certificate_expires_timestamp_seconds",
        ] {
            #expect(!text.contains(name))
        }
    }

    @Test func `the buckets of a histogram add up to its count`() async throws {
        let lines = lines(try await full())
        for name in ["relay_push_duration_seconds", "relay_apple_duration_seconds"] {
            let buckets = lines.filter { $0.hasPrefix("\(name)_bucket{") }
            let counts = buckets.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
            #expect(counts.count == 12)
            #expect(counts == counts.sorted())
            #expect(buckets.last == #"\#(name)_bucket{le="+Inf"} \#(counts.last ?? -1)"#)
            #expect(lines.contains("\(name)_count \(counts.last ?? -1)"))
        }
    }

    @Test func `no value can end its label, and no help its line`() {
        var text = MetricText()
        text.begin(.gauge, "a", "one \\ two\n\"three\"")
        text.sample(1, ["b": "say \"hi\" \\\r\nthere é", "c": ""])
        text.sample(.infinity)
        text.sample(-.infinity)
        text.sample(.nan)
        #expect(
            String(decoding: text.octets, as: UTF8.self) == """
                # HELP a one \\\\ two\\n"three"
                # TYPE a gauge
                a{b="say \\"hi\\" \\\\\r\\nthere é",c=""} 1
                a +Inf
                a -Inf
                a NaN

                """
        )
    }

    @Test func `the process says what it uses`() throws {
        var figures = ProcessFigures()
        figures.read()
        #expect(try #require(figures.processorSeconds) > 0)
        #expect(try #require(figures.residentOctets) > 1_000_000)
        #expect(try #require(figures.virtualOctets) >= #require(figures.residentOctets))
        let most = try #require(figures.mostDescriptors)
        #expect(try (3...most).contains(UInt64(#require(figures.openDescriptors))))
    }
}
