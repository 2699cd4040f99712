import Synchronization

/// What the loop writes down for other threads to read.
final class LoadMeter: Sendable {
    let connections = Atomic<Int>(0)
    let requestsInFlight = Atomic<Int>(0)
    let connectionLimitHits = Atomic<Int>(0)
    let requestLimitHits = Atomic<Int>(0)

    var load: Server.Load {
        Server.Load(
            connections: connections.load(ordering: .relaxed),
            requestsInFlight: requestsInFlight.load(ordering: .relaxed),
            connectionLimitHits: connectionLimitHits.load(ordering: .relaxed),
            requestLimitHits: requestLimitHits.load(ordering: .relaxed)
        )
    }
}

extension Server {
    /// What a server has to do at one moment, and how often it met its limits since it was made.
    package struct Load: Sendable, Equatable {
        package var connections: Int
        /// Handlers that run, those included whose client has gone.
        package var requestsInFlight: Int
        /// How often a connection was closed for a newcomer, or a newcomer had to wait.
        package var connectionLimitHits: Int
        /// How many requests were answered 503, or dropped, since there were too many or they held too much.
        package var requestLimitHits: Int

        package init(
            connections: Int = 0,
            requestsInFlight: Int = 0,
            connectionLimitHits: Int = 0,
            requestLimitHits: Int = 0
        ) {
            self.connections = connections
            self.requestsInFlight = requestsInFlight
            self.connectionLimitHits = connectionLimitHits
            self.requestLimitHits = requestLimitHits
        }
    }

    /// What it has to do now.
    package var load: Load { meter.load }
}
