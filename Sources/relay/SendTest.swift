import APNs
import Crypto
import FoundationEssentials
import RelayCore
import Store

/// `relay send HASH`: what to print, and whether the phone has it.
func sendTest(_ arguments: Arguments) throws(StartError) -> (text: String, isOK: Bool) {
    let variables = try ProcessEnvironment.read(file: arguments.environmentFile).variables
    let publicURL: String
    let files: StoreFiles
    do throws(Problems) {
        files = try StoreFiles(variables: variables)
        publicURL = try Variable.publicURL(in: variables)
    } catch {
        throw .configuration(error)
    }
    let control = Control(files: files, backups: nil)
    guard let ticket: TestTicket = try control.askRelay(.post, "/subscriptions/\(try hash(arguments))/test") else {
        throw .command("the relay does not run: start it, and see its log if it does not stay")
    }
    var probe = Probe(.post, publicURL + ticket.path)
    probe.fields = TestAlert.fields
    probe.body = Base64URL.decode(ticket.message.utf8) ?? []
    let answer: ProbeAnswer
    do throws(ProbeError) { answer = try probe.answer() } catch {
        throw .command("\(publicURL): \(error.text): run `relay check`")
    }
    guard answer.status == 200, let report = try? JSONDecoder().decode(TestReport.self, from: Data(answer.body)),
        isPossible(report.decryptedMilliseconds), isPossible(report.appleMilliseconds)
    else {
        let text = "\(publicURL)/wp/ answers \(answer.status), and it is not this relay that does"
        throw .command("\(text): start the relay, and run `relay check`")
    }
    return (text(ticket.subscription, report, answer.times), report.error == nil)
}

/// Whether a relay may have measured this; whoever answers at the public URL may say anything.
func isPossible(_ milliseconds: Double?) -> Bool {
    milliseconds.map { (0...600_000).contains($0) } ?? true
}

/// Each hop with its time, and what Apple said.
private func text(_ subscription: SubscriptionReport, _ report: TestReport, _ times: ProbeAnswer.Times) -> String {
    let inside = (report.decryptedMilliseconds ?? 0) + (report.appleMilliseconds ?? 0)
    let connected = max(times.nameLookup, times.connect, times.tls)
    var hops: [(name: String, milliseconds: Double, word: String)] = [
        ("name look-up", Double(times.nameLookup), ""),
        ("connection", Double(max(0, times.connect - times.nameLookup)), ""),
    ]
    if times.tls > 0 { hops.append(("TLS", Double(max(0, times.tls - times.connect)), "")) }
    hops.append(("to the relay and back", max(0, Double(times.firstOctet - connected) - inside), ""))
    if let decrypted = report.decryptedMilliseconds { hops.append(("found and decrypted", decrypted, "")) }
    if let apple = report.appleMilliseconds {
        let service = report.environment.map { " (\($0))" } ?? ""
        hops.append(("Apple", apple, (report.apple ?? "") + service))
    }
    hops.append(("in all", Double(times.total), report.error.map { "failed: \($0.rawValue)" } ?? ""))
    let lines = hops.map { hop in
        let tenths = Int((hop.milliseconds * 10).rounded())
        let time = "\(tenths / 10).\(tenths % 10) ms"
        let name = hop.name + String(repeating: " ", count: 24 - hop.name.count)
        let line = "  \(name)\(String(repeating: " ", count: max(0, 10 - time.count)))\(time)"
        return hop.word.isEmpty ? line : "\(line)  \(hop.word.printable)"
    }
    let head = "a test alert to \(subscription.hash), \(subscription.name ?? unnamed)"
    let remedy = report.remedy.map { ["  -> \($0.printable)"] } ?? []
    return ([head] + lines + remedy).joined(separator: "\n")
}
