import RelayCore

extension StatusReport {
    /// 2026-11-30 14:32:10 UTC.
    static let moment: Int64 = 1_796_049_130

    static let examples: KeyValuePairs<String, StatusReport> = [
        "rich": rich, "unhealthy": unhealthy, "empty": empty, "hostile": hostile,
    ]

    private init(running seconds: Int64, subscriptions count: Int) {
        self.init(
            version: "0.1.0",
            now: Self.moment,
            runningSince: Self.moment - seconds,
            facts: Facts(subscriptionCount: count, subscriptionLimit: 1_000)
        )
    }

    /// A relay that was just installed.
    static let empty = StatusReport(running: 40, subscriptions: 0)

    /// A good day.
    static let rich: StatusReport = {
        var report = StatusReport(running: 1_054_000, subscriptions: 5)
        report.facts.lastAccepted = moment - 250
        report.facts.lastBackup = moment - 30_000
        report.facts.backupInterval = 86_400
        report.facts.databaseOctets = 2_360_000
        report.facts.diskFreeOctets = 18_400_000_000
        report.facts.providerTokenAge = 1_380
        report.facts.certificateDaysLeft = 61
        report.subscriptions = household
        report.hours = day
        report.lastErrors = [
            RecentFailures.Entry(
                time: moment - 9_400,
                level: .warning,
                event: "push_failed",
                cause: "HTTP 503 ServiceUnavailable",
                remedy: "wait: Apple is in trouble, and the instance comes again"
            ),
            RecentFailures.Entry(
                time: moment - 93_000,
                level: .warning,
                event: "device_gone",
                cause: "HTTP 410 Unregistered"
            ),
            RecentFailures.Entry(
                time: moment - 260_000,
                level: .error,
                event: "database_write_failed",
                cause: "disk I/O error",
                remedy: "look at the disk below DB_PATH, and at what the kernel says of it"
            ),
        ]
        return report
    }()

    /// A day on which nearly nothing works.
    static let unhealthy: StatusReport = {
        var report = rich
        report.problems = [
            Problem(
                .warning,
                "the certificate of https://push.example.org ends in 6 days",
                remedy: "run certbot renew, and see why its timer did not"
            ),
            Problem(
                .error,
                "Apple refuses every push: HTTP 403 InvalidProviderToken",
                remedy: "check APNS_KEY_ID and APNS_TEAM_ID against developer.apple.com, and send the relay SIGHUP"
            ),
            Problem(
                .error,
                "the last backup is 3 days old, and one is due every 24 hours",
                remedy: "make room in BACKUP_DIR, or see in the log what backup_failed says"
            ),
        ]
        report.facts.lastAccepted = moment - 11_000
        report.facts.lastBackup = moment - 270_000
        report.facts.certificateDaysLeft = 6
        report.facts.diskFreeOctets = 96_000_000
        var (hours, subscriptions) = (day, household)
        for index in hours.indices.suffix(3) {
            hours[index].failed += hours[index].accepted
            hours[index].accepted = 0
            (hours[index].latencyMean, hours[index].latencyMax) = (nil, nil)
        }
        for index in subscriptions.indices.prefix(3) {
            subscriptions[index].lastAccepted = moment - 11_000 - Int64(index) * 3_100
            subscriptions[index].lastFailure = Failure(
                time: moment - Int64(index) * 700 - 65,
                text: "HTTP 403 InvalidProviderToken"
            )
        }
        (report.hours, report.subscriptions) = (hours, subscriptions)
        report.lastErrors = (0..<25).map { number in
            RecentFailures.Entry(
                time: moment - Int64(number) * 700 - 65,
                level: .error,
                event: "apple_refuses_configuration",
                cause: "HTTP 403 InvalidProviderToken",
                remedy: "check APNS_KEY_ID and APNS_TEAM_ID, and that the key is still listed at developer.apple.com"
            )
        }
        return report
    }()

    /// Texts that try to get out of their places, and 1,000 subscriptions.
    static let hostile: StatusReport = {
        var report = unhealthy
        let texts = [
            "</bdi></td></table><script>alert(1)</script>", "\" onmouseover=\"alert(1)", "&lt;b&gt; & ]]> <!-- -->",
            String(repeating: "W", count: 256), "\u{202E}gnp.exe \u{2066}x",
            "a\u{0}b\u{7}c\u{1B}[31m\r\nd\u{85}\u{FFFE}",
            "عليك السلام alice", "Z" + String(repeating: "\u{301}\u{323}", count: 60),
            String(repeating: "🦣", count: 64), "",
        ]
        report.subscriptions = (0..<1_000).map { number in
            var subscription = Subscription(
                label: texts[number % texts.count],
                account: texts[(number + 3) % texts.count],
                hash: "0123abcd",
                created: .min
            )
            subscription.lastFailure = Failure(time: .max, text: texts[(number + 5) % texts.count])
            subscription.environment = texts[(number + 1) % texts.count]
            subscription.badge = .max
            return subscription
        }
        report.facts.subscriptionCount = 1_000
        report.problems = texts.map { Problem(.warning, $0, remedy: $0) }
        report.lastErrors = texts.map {
            RecentFailures.Entry(time: moment, level: .error, event: $0, cause: $0, remedy: $0)
        }
        report.hours = report.hours?.map { hour in
            var hour = hour
            (hour.accepted, hour.failed, hour.gone, hour.latencyMax) = (.max, .min, .max, .max)
            return hour
        }
        return report
    }()

    private static let household: [Subscription] = {
        var phone = Subscription(
            label: "Alice’s iPhone",
            account: "alice@pixels.example",
            hash: "9f2c61aa",
            created: moment - 12_700_000
        )
        phone.environment = "production"
        phone.lastAccepted = moment - 250
        phone.badge = 3
        phone.isPinned = true
        var second = phone
        (second.account, second.hash, second.badge) = (
            "alice.photography@a-rather-long-instance-name.social", "07be44d0", 0
        )
        second.lastAccepted = moment - 8_100
        second.lastFailure = Failure(time: moment - 9_400, text: "HTTP 503 ServiceUnavailable")
        var pad = Subscription(
            label: "iPad in the kitchen",
            account: "home@pixels.example",
            hash: "c310e9f7",
            created: 1
        )
        pad.created = moment - 5_400_000
        pad.environment = "production"
        pad.lastAccepted = moment - 61_000
        pad.badge = 12
        pad.showsBadges = false
        var build = Subscription(label: "", account: "test@localhost", hash: "e5a1003b", created: moment - 400_000)
        build.environment = "sandbox"
        build.lastAccepted = moment - 390_000
        let fresh = Subscription(label: "Bob", account: "", hash: "4dd87f10", created: moment - 75)
        return [phone, second, pad, build, fresh]
    }()

    /// Quiet at night, busy at breakfast and after lunch.
    private static let day: [Hour] = {
        let accepted = [22, 31, 38, 27, 24, 18, 11, 6, 3, 0, 0, 1, 2, 5, 9, 17, 34, 41, 26, 19, 14, 21, 28, 13]
        return accepted.enumerated().map { index, count in
            var hour = Hour(start: moment - Int64(23 - index) * 3_600)
            hour.accepted = count
            hour.repeated = count / 9
            hour.failed = [2: 4, 17: 9, 21: 2][index] ?? 0
            hour.gone = index == 5 ? 1 : 0
            hour.refused = index == 18 ? 3 : 0
            hour.limited = index == 16 ? 5 : 0
            if count > 0 {
                hour.latencyMean = 74 + count * 31 % 47
                hour.latencyMax = 130 + count * count % 301 + (index == 17 ? 880 : 0)
            }
            return hour
        }
    }()
}
