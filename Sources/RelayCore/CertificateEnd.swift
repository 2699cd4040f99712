import APNs

/// How near the end of the certificate of `PUBLIC_URL` is, to the check, the page and the log alike.
enum CertificateEnd {
    /// certbot renews 30 days before the end, so that this late something is wrong with it.
    static let warningDays = 14
    /// A weekend.
    static let errorDays = 3

    /// `ends in 3 days`, `ended 1 day ago`.
    ///
    /// - Parameter days: that are left, as ``Certificate/daysLeft(until:at:)`` counts them.
    static func words(_ days: Int) -> String {
        if days < 0 { return "ended \(Words.count(days.magnitude, "day", "days")) ago" }
        return days == 0 ? "ends today" : "ends in \(Words.count(days, "day", "days"))"
    }
}

extension TLSRefusal {
    /// What is wrong with the certificate that a host shows, and what to do about it.
    func account(of host: String, at now: Int64) -> (text: String, remedy: String) {
        let own = chain.first
        let shown = own.map { ": \($0.subject), from \($0.issuer)" } ?? ""
        switch fault {
        case .expired:
            let days = own.map { ", for \(Words.count($0.daysLeft(at: now).magnitude, "day", "days"))" } ?? ""
            return ("expired\(days)\(shown)", "run `certbot renew`, then `nginx -s reload`")
        case .notYetValid:
            return ("not valid yet\(shown)", "check this machine's clock")
        case .notTrusted:
            let text = "not trusted (\(reason))\(shown)"
            return (text, "get one with certbot, and name its fullchain.pem in nginx's ssl_certificate")
        case .wrongName:
            return ("for another name\(shown)", "get a certificate for \(host), and check nginx's server_name")
        case .handshake:
            let remedy = "see that nginx has a server with this server_name and `listen 443 ssl`"
            return ("none was shown (\(reason))", remedy)
        }
    }
}
