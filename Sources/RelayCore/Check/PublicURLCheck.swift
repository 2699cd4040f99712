import APNs
import FoundationEssentials

/// What the running relay will answer to one POST at a path, so that a probe from outside can tell that it got there.
package struct Announcement: Sendable {
    /// Under `/wp/`, and no subscription's.
    package let path: String
    package let answer: [UInt8]

    package init(path: String, answer: [UInt8]) {
        self.path = path
        self.answer = answer
    }
}

/// `PUBLIC_URL` taken apart.
struct PublicOrigin {
    let url: String
    let host: String
    let port: Int
    let isSecure: Bool

    /// Nil for what ``Configuration`` would not have taken.
    init?(_ url: String) {
        guard let components = URLComponents(string: url), let host = components.host, !host.isEmpty else { return nil }
        self.url = url
        self.host = host
        isSecure = components.scheme?.lowercased() == "https"
        port = components.port ?? (isSecure ? 443 : 80)
    }
}

extension CheckLine {
    static let publicURLNames = ["public URL", "public addresses", "public certificate", "public way in"]

    /// Whether instances can use the URL at all.
    static func publicURL(_ origin: PublicOrigin) -> CheckLine {
        let name = publicURLNames[0]
        guard origin.isSecure else {
            let remedy = "put nginx with a certificate before the relay, and set PUBLIC_URL to its https:// origin"
            return CheckLine(name, .failed, "is not https, and Pixelfed takes nothing else", remedy: remedy)
        }
        guard !isAddress(origin.host) else {
            let remedy = "give this machine a name, and set PUBLIC_URL to it"
            return CheckLine(name, .warning, "is an address, which some instances refuse", remedy: remedy)
        }
        guard origin.port == 443 else {
            let remedy = "let nginx listen on port 443, and leave the port out of PUBLIC_URL"
            return CheckLine(name, .warning, "has port \(origin.port), which some instances refuse", remedy: remedy)
        }
        return CheckLine(name, .ok, "https, port 443")
    }

    /// Whether every address of the name is one that Pixelfed sends to; it takes one that is not for an attack.
    static func publicAddresses(_ host: String, _ addresses: Result<[String], ProbeError>) -> CheckLine {
        let name = publicURLNames[1]
        switch addresses {
        case .failure(let error):
            let remedy = "add an A record, and an AAAA record where there is IPv6, for \(host)"
            return CheckLine(name, .failed, "\(host): \(error.text)", remedy: remedy)
        case .success(let addresses):
            let refused = addresses.filter { !isPublic($0) }
            guard !addresses.isEmpty, refused.isEmpty else {
                let text = "\(host) leads to \(refused.joined(separator: ", ")), which Pixelfed refuses"
                let remedy = "let the name lead to public addresses alone, in DNS and in this machine's /etc/hosts"
                return CheckLine(name, .failed, text, remedy: remedy)
            }
            return CheckLine(name, .ok, addresses.joined(separator: ", "))
        }
    }

    /// The certificate that nginx shows, from the answer to any request.
    static func publicCertificate(
        _ origin: PublicOrigin,
        _ answer: Result<ProbeAnswer, ProbeError>,
        now: Int64
    ) -> CheckLine {
        let name = publicURLNames[2]
        switch answer {
        case .success(let answer):
            // Not those behind it: a chain may go by two ways, and be trusted by one that has not expired.
            guard let own = answer.chain.first else {
                let remedy = "see what answers in nginx's place"
                return CheckLine(name, .failed, "none was shown", remedy: remedy)
            }
            let days = own.daysLeft(at: now)
            let text = "trusted, \(Words.count(days, "day", "days")) left, from \(own.issuer)"
            let remedy = "see why it is not renewed: `certbot renew`, then `nginx -s reload`"
            switch days {
            case ..<CertificateEnd.errorDays: return CheckLine(name, .failed, text, remedy: remedy)
            case ..<CertificateEnd.warningDays: return CheckLine(name, .warning, text, remedy: remedy)
            default: return CheckLine(name, .ok, text)
            }
        case .failure(.refusedTLS(let refusal)):
            let (text, remedy) = refusal.account(of: origin.host, at: now)
            return CheckLine(name, .failed, text, remedy: remedy)
        case .failure(let error):
            return CheckLine(name, .failed, error.text, remedy: wayInRemedy(error, origin))
        }
    }

    /// Whether a POST to the public URL arrives at this relay and its answer comes back as it was.
    static func publicWayIn(
        _ origin: PublicOrigin,
        _ announcement: Announcement,
        _ answer: Result<ProbeAnswer, ProbeError>
    ) -> CheckLine {
        let name = publicURLNames[3]
        let answered: ProbeAnswer
        switch answer {
        case .failure(.refusedTLS):
            return CheckLine(name, .failed, "nothing gets through", remedy: "mend the certificate first")
        case .failure(let error):
            return CheckLine(name, .failed, error.text, remedy: wayInRemedy(error, origin))
        case .success(let answer): answered = answer
        }
        guard answered.body != announcement.answer else {
            return CheckLine(name, .ok, "this relay answers at \(origin.url)/wp/ after \(answered.times.total) ms")
        }
        let text = "\(origin.url)/wp/ answers \(answered.status), and it is not this relay that does"
        return CheckLine(name, .failed, text, remedy: wayInRemedy(answered.status))
    }

    /// Nobody is there to answer a probe.
    static var publicWayInWithoutRelay: CheckLine {
        let remedy = "start it, and see its log if it does not stay: `journalctl -u relay` or `docker compose logs`"
        return CheckLine(publicURLNames[3], .failed, "the relay does not run", remedy: remedy)
    }

    /// A relay may run, but could not be asked to answer a probe.
    static func publicWayIn(untried reason: Check.Unavailable) -> CheckLine {
        CheckLine(publicURLNames[3], .failed, sentence: reason.sentence)
    }

    private static func wayInRemedy(_ status: Int) -> String {
        switch status {
        case 300...399: "answer /wp/ without a redirect: Pixelfed does not follow, and counts it as delivered"
        case 401, 403: "let nginx pass /wp/ to the relay without a password or a filter before it"
        case 413: "set client_max_body_size 64k in nginx's server"
        case 502, 503, 504: "check that proxy_pass in nginx leads to LISTEN_ADDR"
        default: "check nginx's server_name, that /wp/ is passed to this relay, and where the name leads"
        }
    }

    private static func wayInRemedy(_ error: ProbeError, _ origin: PublicOrigin) -> String {
        switch error {
        case .notResolved: "add an A record, and an AAAA record where there is IPv6, for \(origin.host)"
        case .cannotConnect, .timedOut:
            "see that nginx runs and that every firewall lets port \(origin.port) in; "
                + "behind a NAT, try from another machine too"
        case .refusedTLS, .other: "see nginx's error log"
        }
    }
}
