import APNs

extension CheckLine {
    /// The certificate authorities that Apple is held against: whether the file is there and has any.
    static func authorities(_ path: String?, _ file: Result<File, FileError>?) -> CheckLine {
        let name = "certificate authorities"
        guard let path, let file else { return CheckLine(name, .ok, "those that libcurl was built with") }
        switch file {
        case .failure(let error):
            return CheckLine(name, .failed, "the file \(error.fault)", remedy: "install the package ca-certificates")
        case .success(let file):
            let count = file.octets.ranges(of: Array("-----BEGIN CERTIFICATE-----".utf8)).count
            guard count > 0 else {
                let text = "there are none in \(path)"
                return CheckLine(name, .failed, text, remedy: "install the package ca-certificates")
            }
            return CheckLine(name, .ok, "\(count) in \(path)")
        }
    }

    /// This machine's clock against Apple's; `now` is to be read when the answer has come.
    ///
    /// Apple refuses a provider token that is an hour off by its own clock.
    static func clock(_ date: Int64?, now: Int64) -> CheckLine {
        let name = "clock"
        guard let date else { return CheckLine(name, .skipped, "no answer of Apple's tells the time") }
        let (ahead, hasOverflowed) = now.subtractingReportingOverflow(date)
        let off = hasOverflowed ? .max : ahead.magnitude
        let text = "\(off) s \(ahead < 0 ? "behind" : "ahead of") Apple's"
        let remedy = "set the clock and keep it right: see `timedatectl`, which turns NTP on with `set-ntp true`"
        switch off {
        // Apple tells whole seconds, and its answer took its time.
        case ...2: return CheckLine(name, .ok, "agrees with Apple's")
        case ...30: return CheckLine(name, .ok, text)
        case ...300: return CheckLine(name, .warning, text, remedy: remedy)
        default: return CheckLine(name, .failed, text, remedy: remedy)
        }
    }

    /// One of Apple's hosts: its name, the way there, TLS and HTTP/2.
    static func apple(_ name: String, host: String, _ answer: Result<ProbeAnswer, ProbeError>) -> CheckLine {
        switch answer {
        case .success(let answer):
            guard answer.isHTTP2 else {
                let remedy = "see what answers in Apple's place: a proxy, a firewall, or APNS_URL"
                return CheckLine(name, .failed, "\(host) answers, but not in HTTP/2", remedy: remedy)
            }
            let text = "\(host) at \(answer.address) speaks HTTP/2, TLS after \(answer.times.tls) ms"
            return CheckLine(name, .ok, text)
        case .failure(let error):
            return CheckLine(name, .failed, "\(host): \(error.text)", remedy: appleRemedy(error))
        }
    }

    private static func appleRemedy(_ error: ProbeError) -> String {
        switch error {
        case .notResolved: "check this machine's name servers, in /etc/resolv.conf"
        case .cannotConnect, .timedOut: "let this machine reach port 443 of Apple's through every firewall"
        case .refusedTLS(let refusal):
            switch refusal.fault {
            case .expired, .notYetValid: "check this machine's clock, and what answers in Apple's place"
            case .notTrusted:
                "update the package ca-certificates, and see whether a proxy breaks TLS open on the way"
            case .wrongName, .handshake: "see what answers in Apple's place: a proxy, a firewall, or APNS_URL"
            }
        case .other: "try again; if it stays, see what lies between this machine and Apple"
        }
    }
}

extension FileError {
    /// What is wrong without the remedy.
    fileprivate var fault: String {
        description.ranges(of: ": ").last.map { String(description[..<$0.lowerBound]) } ?? description
    }
}
