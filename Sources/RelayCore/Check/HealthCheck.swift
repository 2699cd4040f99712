import APNs
package import HTTPServer

/// Asks a relay how it is, over the address that it listens on.
package struct HealthCheck {
    private let address: ListenAddress

    package init(_ address: ListenAddress) {
        self.address = address
    }

    /// `LISTEN_ADDR` alone, so that it works where the rest of the configuration is not to be had.
    package init(variables: [String: String]) throws(Problems) {
        var reader = VariableReader(variables)
        let address = reader.optional(.listenAddress, default: "127.0.0.1:8080", parse: parseListenAddress)
        guard let address else { throw Problems(all: reader.problems) }
        self.address = address
    }

    /// `ok`, or the reason in one line.
    package func run(timeLimit: Duration = .seconds(3)) -> (text: String, isOK: Bool) {
        var probe = Probe(.get, "http://\(authority)/healthz")
        if case .unix(let path) = address { probe.socketPath = path }
        probe.timeLimit = timeLimit
        let answer: ProbeAnswer
        do throws(ProbeError) { answer = try probe.answer() } catch {
            let remedy = "see that the relay runs, and that LISTEN_ADDR is what it was started with"
            return (CheckLine("", .failed, "\(address): \(error.text): \(remedy)").text, false)
        }
        guard answer.status == 200, answer.body == Array("ok".utf8) else {
            return ("\(address) answers \(answer.status): \(reason(answer))", false)
        }
        return ("ok", true)
    }

    /// An address to connect to: what listens on all of them does so on loopback too.
    private var authority: String {
        switch address {
        case .ipv4("0.0.0.0", let port): "127.0.0.1:\(port)"
        case .ipv4(let host, let port): "\(host):\(port)"
        case .ipv6(let host, let port): "[\(isUnspecified(host) ? "::1" : host)]:\(port)"
        case .unix: "localhost"
        }
    }

    private func isUnspecified(_ host: String) -> Bool {
        !host.isEmpty && host.utf8.allSatisfy { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "0") }
    }

    /// The relay's own words where they are its words.
    private func reason(_ answer: ProbeAnswer) -> String {
        struct Fault: Decodable { let message: String }
        let message = (try? JSON.decode(answer.body, as: Fault.self))?.message
        return CheckLine("", .failed, message ?? "this is not the relay: check LISTEN_ADDR").text
    }
}
