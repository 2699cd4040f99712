package import APNs
import Synchronization

/// Looks at the certificate of `PUBLIC_URL` twice a day: when it ends, pushes end, and nobody writes to say so.
package final class CertificateWatch: Sendable {
    private struct State {
        var end: Int64?
        var lookedAt: Duration?
    }

    private static let interval = Duration.seconds(12 * 3_600)
    /// certbot renews 30 days before the end, so that this late something is wrong with it.
    private static let warningDays = 14

    private let publicURL: String
    private let clocks: Clocks
    private let log: Log
    private let probe: @Sendable (Probe) throws(ProbeError) -> ProbeAnswer
    private let state = Mutex(State())

    package init(
        publicURL: String,
        clocks: Clocks,
        log: Log,
        probe: @escaping @Sendable (Probe) throws(ProbeError) -> ProbeAnswer = { probe throws(ProbeError) in
            try probe.answer()
        }
    ) {
        self.publicURL = publicURL
        self.clocks = clocks
        self.log = log
        self.probe = probe
    }

    /// When it ends, in Unix seconds; nil while that is not known, as behind a router that does not lead back in.
    package var end: Int64? { state.withLock(\.end) }

    /// Looks when it is time to; it blocks the calling thread for as long as that takes.
    package func lookIfDue() {
        guard publicURL.hasPrefix("https://"), isDue else { return }
        let chain: [Certificate]
        do throws(ProbeError) { chain = try probe(Probe(.get, "\(publicURL)/healthz")).chain } catch {
            // One that is not trusted any more shows when it ended, too.
            guard case .refusedTLS(let refusal) = error, let end = refusal.chain.map(\.notAfter).min() else { return }
            return take(end)
        }
        if let end = chain.map(\.notAfter).min() { take(end) }
    }

    private var isDue: Bool {
        let now = clocks.uptime()
        return state.withLock { state in
            if let lookedAt = state.lookedAt, now - lookedAt < Self.interval { return false }
            state.lookedAt = now
            return true
        }
    }

    private func take(_ end: Int64) {
        state.withLock { $0.end = end }
        let days = Certificate(subject: "", issuer: "", notAfter: end).daysLeft(at: clocks.now())
        guard days < Self.warningDays else { return }
        let remedy = "run `certbot renew`, then `nginx -s reload`: without it no push arrives"
        log(.warning, "certificate_ends_soon", ["days": "\(days)", "remedy": remedy])
    }
}
