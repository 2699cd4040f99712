import Glibc
import HTTPServer
import RelayCore
import Store

/// The socket that the operator's commands reach the running relay over; whoever may open the database may open it.
struct ControlSocket {
    private let server: Server

    /// Beside the database, so that a command that finds the one finds the other.
    static func path(of files: StoreFiles) -> String { files.database + ".control" }

    /// Nil, with a warning, where its path would be longer than one of a socket may be: pushes go on without.
    init?(_ files: StoreFiles, _ routes: ControlRoutes, on workers: Workers, log: Log) throws(ServerError) {
        var limits = Limits()
        limits.connections = 8
        limits.requestsInFlight = 8
        // A large database takes its time to be copied.
        limits.handlerTime = .seconds(600)
        do throws(ServerError) {
            server = try Server(
                address: .unix(path: Self.path(of: files)),
                socketMode: 0o600,
                limits: limits,
                bodyRule: ControlRoutes.bodyRule,
                executor: workers,
                handler: routes.respond
            )
        } catch .unusableAddress {
            let remedy = "give DB_PATH a shorter path, or do without the commands that ask the relay"
            log(.warning, "no_control_socket", ["cause": "the path of its socket is too long", "remedy": remedy])
            return nil
        }
        server.start()
    }

    /// Takes no more commands; those that are under way get a moment.
    func stop() {
        server.stop(within: .seconds(1))
    }
}
