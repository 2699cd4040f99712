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
        // Under so long a path nobody can be asked; that a relay runs shows in its lock.
        let isReachable = connectionFault(at: socket) != ENAMETOOLONG
        if isReachable, let answer: Answer = try askRelay(method, path, body, within: time) { return answer }
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
        var probe = Probe(method, "http://relay\(path)")
        probe.socketPath = socket
        probe.body = body
        probe.timeLimit = time
        probe.longestAnswer = 1 << 28
        let code = connectionFault(at: socket)
        if [ENOENT, ENOTDIR, ECONNREFUSED].contains(code) { return nil }
        if let obstacle = Self.obstacle(code, at: socket) { throw .command(obstacle) }
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

    /// Opens the database of a relay that does not run; none is made, and none is changed.
    private func opened() throws(StartError) -> Store {
        let found: Examination?
        do throws(StoreError) { found = try Store.examine(files) } catch { throw .store(error, files) }
        // Of a mistyped path there would be an empty one.
        guard let found else {
            throw .command("DB_PATH \(files.database): there is none yet: start the relay, which makes it")
        }
        // That is for a start and not for what only reads: there would be no way back to the release before. A damaged
        // one is refused as a start refuses it, whatever its version.
        guard found.version == Examination.newestVersion || found.damage != nil else {
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

/// The errno of a connection to a Unix socket, which ends at once; 0 when there is one.
func connectionFault(at path: String) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // One octet for the NUL behind it.
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return ENAMETOOLONG }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    let status = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    return status == 0 ? 0 : errno
}
