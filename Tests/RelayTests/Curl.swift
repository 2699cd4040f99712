import Foundation
import RelayTesting

/// What a run of curl came to; curl is the client here that speaks TLS.
struct Curl {
    /// 0, or curl's own number for what went wrong.
    let code: Int32
    let transfers: [Transfer]
    /// The bodies of the answers, one behind the other.
    let body: String

    struct Transfer: Decodable {
        let http_code: Int
        /// New connections that it took.
        let num_connects: Int
        let redirect_url: String?
    }

    static let executable = "/usr/bin/curl"

    var statuses: [Int] { transfers.map(\.http_code) }

    /// Runs curl, once for all the URLs among the arguments.
    init(_ arguments: [String]) async throws {
        let program = try Program(Self.executable, ["-q", "-sS", "-w", "\n%{json}\n"] + arguments, environment: [:])
        code = await program.end()
        let isTransfer = { (line: String) in line.hasPrefix("{") && line.contains(#""http_code""#) }
        let lines = program.lines
        transfers = try lines.filter(isTransfer).map { try JSONDecoder().decode(Transfer.self, from: Data($0.utf8)) }
        body = lines.filter { !isTransfer($0) }.joined(separator: "\n").trimmingCharacters(in: .newlines)
    }
}
