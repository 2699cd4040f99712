package import APNs
package import HTTPServer

/// All numbers of the relay at one moment.
///
/// The first half is what ``Meters`` count. The rest is looked up where it is kept; a nil is left out of the exposition.
package struct Snapshot: Sendable {
    package internal(set) var pushes = Tally<PushOutcome>()
    package internal(set) var pushesInFlight = 0
    package internal(set) var pushDuration = Histogram()
    /// Seconds since 1970; 0 before the first one.
    package internal(set) var lastAcceptedAt: Int64 = 0
    /// By service, then by the place of the answer among `CountedAnswer.labels`.
    package internal(set) var appleAnswers: [[Int]] = []
    package internal(set) var appleDuration = Histogram()
    package internal(set) var registrations = Tally<RegistrationOutcome>()
    package internal(set) var limits = Tally<Limit>()
    package internal(set) var badgeTakeBacks = 0
    package internal(set) var databaseErrors = 0

    /// The services that pushes may go to; the others have no numbers.
    package var apple: [(service: AppleService, traffic: Client.Traffic)] = []
    /// Nil while there is no token.
    package var providerTokenAge: Duration?
    /// Rows; nil while the database cannot be read.
    package var subscriptions: Int?
    package var subscriptionsLimit = 0
    /// Nil while the database cannot be read.
    package var isDeletionGuardClosed: Bool?
    /// Of the listener for pushes and the app.
    package var http = Server.Load()
    package var logLinesLost = 0
    package var process = ProcessFigures()

    /// Seconds since 1970 of the youngest good backup; nil without scheduled backups.
    package var backupLastSuccess: Int64?
    /// Seconds between two scheduled backups; nil without them.
    package var backupInterval: Int64?
    package var backupFailures = 0
    /// Octets of the database with its log.
    package var databaseSize: Int64?
    /// Octets that the relay's user may still write on the database's disk.
    package var databaseDiskFree: Int64?
    /// The same of the disk with the backups; nil without scheduled ones.
    package var backupDiskFree: Int64?
    /// Seconds since 1970 until which the certificate of `PUBLIC_URL` is good; nil while it is not known.
    package var publicCertificateExpires: Int64?
}
