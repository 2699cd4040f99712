import APNs
import Crypto
import FoundationEssentials
import HTTPServer
import RelayCore
import Store

/// A command's way to the database: through the relay that runs, or by opening it where none does.
struct Control {
    private let files: StoreFiles
    private let backups: BackupPlan?

    /// What of the configuration it takes to find the database.
    init(environmentFile: String?) throws(StartError) {
        let variables = try ProcessEnvironment.read(file: environmentFile).variables
        do throws(Problems) {
            files = try StoreFiles(variables: variables)
            backups = try BackupPlan.read(variables)
        } catch {
            throw .configuration(error)
        }
    }

    init(files: StoreFiles, backups: BackupPlan?) {
        self.files = files
        self.backups = backups
    }

    /// Asks the relay that runs, or does it here where none does, and reads the answer as what it is to be.
    func ask<Answer: Decodable>(
        _ method: Probe.Method,
        _ path: String,
        _ body: [UInt8] = [],
        within time: Duration = .seconds(30)
    ) throws(StartError) -> Answer {
        if let answer: Answer = try askRelay(method, path, body, within: time) { return answer }
        return try read(alone(method, path, body))
    }

    /// Asks the relay that runs; nil where none does.
    func askRelay<Answer: Decodable>(
        _ method: Probe.Method,
        _ path: String,
        _ body: [UInt8] = [],
        within time: Duration = .seconds(30)
    ) throws(StartError) -> Answer? {
        var probe = Probe(method, "http://relay\(path)")
        probe.socketPath = socket
        probe.body = body
        probe.timeLimit = time
        probe.longestAnswer = 1 << 28
        let answer: ProbeAnswer
        do throws(ProbeError) { answer = try probe.answer() } catch .cannotConnect { return nil } catch {
            throw .command("\(socket): \(error.text): see the log of the relay, and restart it if need be")
        }
        return try read((answer.status, answer.body))
    }

    private func read<Answer: Decodable>(_ answer: (status: Int, body: [UInt8])) throws(StartError) -> Answer {
        guard answer.status == 200 else {
            let problem = try? JSONDecoder().decode(ControlProblem.self, from: Data(answer.body))
            throw .command(problem?.message ?? "the relay answered \(answer.status): see its log")
        }
        do { return try JSONDecoder().decode(Answer.self, from: Data(answer.body)) } catch {
            throw .command("the relay that runs is of another version: restart it")
        }
    }

    private var socket: String { ControlSocket.path(of: files) }

    /// Does it in this process, which holds the database as a relay would.
    private func alone(
        _ method: Probe.Method,
        _ path: String,
        _ body: [UInt8]
    ) throws(StartError) -> (status: Int, body: [UInt8]) {
        let store: Store?
        do throws(StoreError) {
            // None is made here: of a mistyped path there would be an empty one.
            store = try Store.examine(files) == nil ? nil : Store(files)
        } catch {
            throw .store(error, files)
        }
        guard let store else {
            throw .command("DB_PATH \(files.database): there is none yet: start the relay, which makes it")
        }
        let workers = try Serve.workers()
        let routes = ControlRoutes(alone: store, files: files, backups: backups)
        let head = Head(method: method.rawValue, target: Array(path.utf8))
        let response = waiting(on: workers) {
            let response = await routes.respond(to: Request(head: head, body: body))
            try? await store.close()
            return response
        }
        guard let response else { throw .command("nothing came of it: try again") }
        return (response.status, response.body)
    }
}
