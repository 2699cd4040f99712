import Glibc
import HTTPServer
import RelayCore
import Store

/// The socket that the operator's commands reach the running relay over; whoever may open the database may open it.
struct ControlSocket {
    private let server: Server

    /// Beside the database, so that a command that finds the one finds the other.
    static func path(of files: StoreFiles) -> String { files.database + ".control" }

    /// Nil, with a warning, where there cannot be one: pushes go on without.
    init?(_ files: StoreFiles, _ routes: ControlRoutes, on workers: Workers, log: Log) {
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
        } catch {
            log(.warning, "no_control_socket", ["detail": "\(error)"])
            return nil
        }
        server.start()
    }

    /// Takes no more commands; those that are under way get a moment.
    func stop() {
        server.stop(within: .seconds(1))
    }
}
