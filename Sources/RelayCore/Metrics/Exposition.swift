import APNs
import HTTPServer

/// The numbers as Prometheus reads them: text/plain; version=0.0.4.
package struct Exposition {
    package let octets: [UInt8]

    /// What the answer with it says as its `Content-Type`.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package init(_ snapshot: Snapshot, version: String = relayVersion) {
        var text = MetricText()
        text.begin(.gauge, "relay_build_info", "The release that runs; always 1.")
        text.sample(1, ["version": version])
        text.addPushes(snapshot)
        text.addApple(snapshot)
        text.addSubscriptions(snapshot)
        text.addLimits(snapshot)
        text.addStorage(snapshot)
        text.addProcess(snapshot.process)
        octets = text.octets
    }
}

extension MetricText {
    fileprivate mutating func addPushes(_ snapshot: Snapshot) {
        begin(.counter, "relay_pushes_total", "Pushes that were handled, by what became of them.")
        for outcome in PushOutcome.allCases { sample(snapshot.pushes[outcome], ["outcome": outcome.label]) }
        family(
            "relay_push_duration_seconds",
            "Time from the receipt of a push to Apple's acceptance, of accepted pushes.",
            snapshot.pushDuration
        )
        family(.gauge, "relay_pushes_in_flight", "Pushes that are being handled.", snapshot.pushesInFlight)
        family(
            .gauge,
            "relay_last_accepted_timestamp_seconds",
            "When Apple last accepted a push; 0 before the first since the start.",
            snapshot.lastAcceptedAt
        )
        family(
            .counter,
            "relay_suppressed_retries_total",
            "Pushes that a device had already and that were answered 201 without an alert.",
            snapshot.pushes[.repeated]
        )
        family(
            .counter,
            "relay_badge_take_backs_total",
            "Badge increments that were taken back, or are owed, since their push failed.",
            snapshot.badgeTakeBacks
        )
    }

    fileprivate mutating func addApple(_ snapshot: Snapshot) {
        begin(
            .counter,
            "relay_apple_answers_total",
            "Answers of Apple's by status and reason, those to a second try among them; status 0 is no answer."
        )
        for (service, _) in snapshot.apple where snapshot.appleAnswers.indices.contains(service.rawValue) {
            for (label, count) in zip(CountedAnswer.labels, snapshot.appleAnswers[service.rawValue]) {
                sample(count, ["environment": service.label, "status": label.status, "reason": label.reason])
            }
        }
        family(
            "relay_apple_duration_seconds",
            "Time from a request to Apple's answer, whatever it says, a new connection included.",
            snapshot.appleDuration
        )
        begin(.gauge, "relay_apple_queue", "Notifications that wait to be sent to Apple.")
        for (service, traffic) in snapshot.apple { sample(traffic.queued, ["environment": service.label]) }
        begin(.gauge, "relay_apple_in_flight", "Requests that Apple has not answered.")
        for (service, traffic) in snapshot.apple { sample(traffic.inFlight, ["environment": service.label]) }
        begin(
            .counter,
            "relay_apple_connections_opened_total",
            "Connections to Apple that were opened, attempts without success included."
        )
        for (service, traffic) in snapshot.apple { sample(traffic.connectionsOpened, ["environment": service.label]) }
        family(
            .gauge,
            "relay_provider_token_age_seconds",
            "Age of the token that Apple knows the relay by; a new one is made after 45 minutes, when it is needed.",
            snapshot.providerTokenAge.map { Double($0.nanoseconds) / 1e9 }
        )
    }

    fileprivate mutating func addSubscriptions(_ snapshot: Snapshot) {
        family(.gauge, "relay_subscriptions", "Subscriptions in the database.", snapshot.subscriptions)
        family(.gauge, "relay_subscriptions_limit", "MAX_SUBSCRIPTIONS.", snapshot.subscriptionsLimit)
        begin(.counter, "relay_registrations_total", "Registrations, by what became of them.")
        for outcome in RegistrationOutcome.allCases {
            sample(snapshot.registrations[outcome], ["outcome": outcome.label])
        }
        family(
            .gauge,
            "relay_deletion_guard_closed",
            "Whether subscriptions that Apple disowns are kept, because too many were deleted for that.",
            snapshot.isDeletionGuardClosed.map { $0 ? 1 : 0 }
        )
    }

    fileprivate mutating func addLimits(_ snapshot: Snapshot) {
        begin(.counter, "relay_limits_hit_total", "How often a limit of the relay's was met.")
        sample(snapshot.limits[.messages], ["limit": "messages"])
        sample(snapshot.limits[.strays], ["limit": "strays"])
        sample(snapshot.limits[.registrations], ["limit": "registrations"])
        sample(snapshot.limits[.subscriptions], ["limit": "subscriptions"])
        sample(snapshot.http.connectionLimitHits, ["limit": "connections"])
        sample(snapshot.http.requestLimitHits, ["limit": "requests"])
        family(.gauge, "relay_http_connections", "Connections to the listener.", snapshot.http.connections)
        family(
            .counter,
            "relay_log_lines_lost_total",
            "Lines of the log that were not written: too many waited, or the disk was full.",
            snapshot.logLinesLost
        )
    }

    fileprivate mutating func addStorage(_ snapshot: Snapshot) {
        family(
            .counter,
            "relay_database_errors_total",
            "Uses of the database that failed, but for backups and the operator's commands.",
            snapshot.databaseErrors
        )
        family(
            .gauge,
            "relay_backup_last_success_timestamp_seconds",
            "When the youngest good backup was made.",
            snapshot.backupLastSuccess
        )
        family(.gauge, "relay_backup_interval_seconds", "BACKUP_INTERVAL.", snapshot.backupInterval)
        family(.counter, "relay_backup_failures_total", "Backups that failed.", snapshot.backupFailures)
        family(.gauge, "relay_database_size_bytes", "Size of the database with its log.", snapshot.databaseSize)
        let free = [("database", snapshot.databaseDiskFree), ("backups", snapshot.backupDiskFree)]
        if free.contains(where: { $0.1 != nil }) {
            begin(.gauge, "relay_disk_free_bytes", "Room on a disk for the relay's user.")
            for case (let disk, let octets?) in free { sample(octets, ["disk": disk]) }
        }
        family(
            .gauge,
            "relay_public_certificate_expires_timestamp_seconds",
            "When the certificate of PUBLIC_URL expires.",
            snapshot.publicCertificateExpires
        )
    }

    // By the names that every client library of Prometheus' gives them.
    fileprivate mutating func addProcess(_ process: ProcessFigures) {
        family(.gauge, "process_start_time_seconds", "When the process began.", process.startedAt)
        family(.counter, "process_cpu_seconds_total", "Time of processors, user and system.", process.processorSeconds)
        family(.gauge, "process_resident_memory_bytes", "Memory that is resident.", process.residentOctets)
        family(.gauge, "process_virtual_memory_bytes", "Memory that is addressed.", process.virtualOctets)
        family(.gauge, "process_open_fds", "Descriptors that are open.", process.openDescriptors)
        family(.gauge, "process_max_fds", "Descriptors that may be open.", process.mostDescriptors)
    }
}
