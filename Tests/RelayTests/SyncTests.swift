import Foundation
import RelayTesting
import Testing

/// What the kernel is asked to bring to the disk before a promise leaves: the part of a power cut that can be seen.
@Suite(.fewAtATime) struct SyncTests {
    @Test func `each answer that promises something follows a sync of the database's log`() async throws {
        let folder = try TemporaryFolder()
        let trace = folder.path("trace")
        let relay = try await RelayProgram(
            apple: .shared(),
            in: folder,
            launcher: SystemCalls.launcher(trace, tracing: "fdatasync,fsync,recvfrom,sendto")
        )
        // Over again, since in a new log even the writes of a laxer setting are synced once.
        let device = freshToken()
        var expected: [String] = []
        for account in ["a", "b", "c", "a"] {
            let endpoint = try await relay.subscribe(device, account: account)
            expected.append("POST /subscribe 201")
            // What is counted is not synced, and what is promised behind it is.
            #expect(try await relay.push(to: endpoint).status == 201)
            for (name, json) in [("unread", #"{"count":7}"#), ("read", ""), ("badges", #"{"enabled":false}"#)] {
                #expect(try await relay.answer("POST", endpoint.settings(name), json: json).status == 204)
                expected.append("POST /subscribe/{id}/\(name) 204")
            }
            let dropped = try await relay.subscribe(device, account: "dropped")
            #expect(try await relay.answer("DELETE", dropped.settings()).status == 204)
            expected += ["POST /subscribe 201", "DELETE /subscribe/{id} 204"]
        }
        #expect(await relay.stop() == 0)

        let answers = try answers(in: SystemCalls(contentsOf: trace), of: folder)
        #expect(answers.map(\.name) == expected)
        #expect(answers.filter { $0.syncs == 0 }.map(\.name) == [])
    }

    /// The app's requests with their answers, and how often the database was synced in between.
    private func answers(in trace: SystemCalls, of folder: TemporaryFolder) throws -> [(name: String, syncs: Int)] {
        let database = folder.path("relay.sqlite")
        let syncs = trace.calls.filter { call in
            ["fdatasync", "fsync"].contains(call.name) && call.file.hasPrefix(database) && call.result == 0
        }
        let head = /, "([A-Z]+) (\/subscribe[^ ]*) HTTP\/1\.1.*/
        let status = /, "HTTP\/1\.1 ([0-9]+) .*/
        return try trace.calls.compactMap { request in
            guard request.name == "recvfrom", let asked = request.rest.wholeMatch(of: head) else { return nil }
            let answer = try #require(
                trace.calls.first {
                    $0.name == "sendto" && $0.descriptor == request.descriptor && $0.began > request.ended
                }
            )
            // A request may come in parts; what counts is the last.
            let last = try #require(
                trace.calls.last {
                    $0.name == "recvfrom" && $0.descriptor == request.descriptor && ($0.result ?? 0) > 0
                        && $0.ended < answer.began
                }
            )
            let target = asked.2.replacing(/\/subscribe\/[^\/ ]+/, with: "/subscribe/{id}")
            let code = try #require(answer.rest.wholeMatch(of: status)?.1)
            let count = syncs.count { $0.began > last.ended && $0.ended < answer.began }
            return ("\(asked.1) \(target) \(code)", count)
        }
    }
}
