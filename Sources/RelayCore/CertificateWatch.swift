package import APNs
import Synchronization

/// Looks at the certificate of `PUBLIC_URL` twice a day: when it ends, pushes end, and nobody writes to say so.
package final class CertificateWatch: Sendable {
    private struct State {
        var end: Int64?
        /// When to look again, by the clock that nobody sets.
        var next: Duration?
        /// What was warned of last, and until when it is not said again.
        var warned: (of: String, until: Duration)?
    }

    private static let interval = Duration.seconds(12 * 3_600)
    /// Where nothing came of it: nginx may start after the relay, and what was wrong may have been mended.
    private static let retryTime = Duration.seconds(600)

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
        let wasSeen = look()
        let next = clocks.uptime() + (wasSeen ? Self.interval : Self.retryTime)
        state.withLock { $0.next = next }
    }

    private var isDue: Bool {
        let now = clocks.uptime()
        return state.withLock { $0.next.map { now >= $0 } ?? true }
    }

    /// Whether a certificate was seen that is trusted.
    private func look() -> Bool {
        do throws(ProbeError) {
            // Not those behind it: a chain may go by two ways, and be trusted by one that has not expired.
            guard let own = try probe(Probe(.get, "\(publicURL)/healthz")).chain.first else { return false }
            take(own.notAfter)
            return true
        } catch .refusedTLS(let refusal) {
            take(refusal)
        } catch {}
        return false
    }

    private func take(_ refusal: TLSRefusal) {
        switch refusal.fault {
        case .expired:
            // Unless it is one behind it that has ended.
            if let own = refusal.chain.first, own.notAfter <= clocks.now() { return take(own.notAfter) }
        case .wrongName, .notTrusted, .notYetValid: break
        // Nothing was shown.
        case .handshake: return
        }
        state.withLock { $0.end = nil }
        let host = PublicOrigin(publicURL)?.host ?? publicURL
        let (text, remedy) = refusal.account(of: host, at: clocks.now())
        warn("certificate_refused", ["cause": text, "remedy": remedy], of: "\(refusal.fault)")
    }

    private func take(_ end: Int64) {
        state.withLock { $0.end = end }
        let days = Certificate.daysLeft(until: end, at: clocks.now())
        guard days < CertificateEnd.warningDays else { return }
        let remedy = "run `certbot renew`, then `nginx -s reload`: without it no push arrives"
        warn("certificate_ends_soon", ["days": "\(days)", "remedy": remedy], of: "\(end)")
    }

    /// Says the same twice a day and no oftener.
    private func warn(_ event: String, _ fields: KeyValuePairs<String, String?>, of what: String) {
        let now = clocks.uptime()
        let isNew = state.withLock { state in
            if let warned = state.warned, warned.of == what, now < warned.until { return false }
            state.warned = (what, now + Self.interval)
            return true
        }
        if isNew { log(.warning, event, fields) }
    }
}
