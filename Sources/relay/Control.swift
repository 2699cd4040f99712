import APNs
import Crypto
import FoundationEssentials
import Glibc
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
            files = try StoreFiles(migrating: variables)
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
        let fault = connectionFault
        // Under so long a path nobody can be asked; that a relay runs shows in its lock.
        if fault != ENAMETOOLONG, let answer: Answer = try ask(at: fault, method, path, body, within: time) {
            return answer
        }
        return try read(alone(method, path, body))
    }

    /// Asks the relay that runs; nil where none does.
    ///
    /// - Throws: also where one may run that this command cannot reach.
    func askRelay<Answer: Decodable>(
        _ method: Probe.Method,
        _ path: String,
        _ body: [UInt8] = [],
        within time: Duration = .seconds(30)
    ) throws(StartError) -> Answer? {
        try ask(at: connectionFault, method, path, body, within: time)
    }

    /// - Parameter fault: what became of a connection to the socket, which says who is there.
    private func ask<Answer: Decodable>(
        at fault: Int32,
        _ method: Probe.Method,
        _ path: String,
        _ body: [UInt8],
        within time: Duration
    ) throws(StartError) -> Answer? {
        if [ENOENT, ENOTDIR, ECONNREFUSED].contains(fault) { return nil }
        if let obstacle = Self.obstacle(fault, at: socket) { throw .command(obstacle) }
        var probe = Probe(method, "http://relay\(path)")
        probe.socketPath = socket
        probe.body = body
        probe.timeLimit = time
        probe.longestAnswer = 1 << 28
        let answer: ProbeAnswer
        do throws(ProbeError) { answer = try probe.answer() } catch .cannotConnect { return nil } catch {
            let late = error == .timedOut ? "; it may still do what it was asked, so look before you ask again" : ""
            throw .command("\(socket): \(error.text)\(late): see the log of the relay, and restart it if need be")
        }
        return try read((answer.status, answer.body))
    }

    private func read<Answer: Decodable>(_ answer: (status: Int, body: [UInt8])) throws(StartError) -> Answer {
        guard answer.status == 200 else {
            let problem = try? JSONDecoder().decode(ControlProblem.self, from: Data(answer.body))
            throw .command(problem?.message ?? "the relay answered \(answer.status): see its log")
        }
        do { return try JSONDecoder().decode(Answer.self, from: Data(answer.body)) } catch {
            throw Self.otherVersion
        }
    }

    static var otherVersion: StartError { .command("the relay that runs is of another version: restart it") }

    /// Why nobody can be asked at a socket, by the errno of a connection to it; nil where that says nothing against it.
    static func obstacle(_ code: Int32, at socket: String) -> String? {
        switch code {
        // A relay that has many to take in is there all the same.
        case 0, EAGAIN: nil
        case EACCES, EPERM:
            "\(socket): the relay that may run cannot be reached: run this as root, or as the relay's user"
        case ENAMETOOLONG: "\(socket): the path is too long for a socket: give DB_PATH a shorter one"
        default: "\(socket): \(String(cString: strerror(code))): see the log of the relay, and restart it if need be"
        }
    }

    private var socket: String { ControlSocket.path(of: files) }

    private var connectionFault: Int32 { ListenAddress.unix(path: socket).connectionFault }

    /// Opens the database of a relay that does not run; none is made, and none is changed.
    private func opened() throws(StartError) -> Store {
        let version: Int64?
        let isDamaged: Bool
        do throws(StoreError) {
            version = try Store.version(of: files)
            // The start below decides whether the whole file is read; here it is where its damage is what matters more.
            isDamaged = version == Examination.newestVersion ? false : try Store.examine(files)?.damage != nil
        } catch {
            throw .store(error, files)
        }
        // Of a mistyped path there would be an empty one.
        guard let version else {
            throw .command("DB_PATH \(files.database): there is none yet: start the relay, which makes it")
        }
        // That is for a start and not for what only reads: there would be no way back to the release before. A damaged
        // one of an earlier release is refused as a start refuses it.
        guard version == Examination.newestVersion || isDamaged else {
            throw .command(
                "DB_PATH \(files.database): it is of an earlier release: start the relay once, which brings it up to "
                    + "date"
            )
        }
        do throws(StoreError) { return try Store(files) } catch { throw .store(error, files) }
    }

    /// Does it in this process, which holds the database as a relay would.
    private func alone(
        _ method: Probe.Method,
        _ path: String,
        _ body: [UInt8]
    ) throws(StartError) -> (status: Int, body: [UInt8]) {
        let store = try opened()
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
