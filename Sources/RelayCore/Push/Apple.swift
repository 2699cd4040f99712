package import APNs
import Store

/// Apple's two services, or the one that stands in for both.
package struct Apple: Sendable {
    /// A notification's outcome, and the service that it is the word of; nil where there is only one.
    struct Delivery {
        let outcome: Outcome
        let environment: Environment?
    }

    private enum Services {
        case both(production: Client, sandbox: Client, preferred: Environment)
        case substitute(Client)
    }

    private let services: Services

    /// - Parameter preferred: the service to try first for a token of which nothing is known.
    package init(production: Client, sandbox: Client, preferred: Environment) {
        services = .both(production: production, sandbox: sandbox, preferred: preferred)
    }

    /// One service in the place of both.
    package init(substitute: Client) {
        services = .substitute(substitute)
    }

    /// Sends a notification to the service that knows its token, and finds out which one that is.
    ///
    /// Both tries share the time that one notification has. A token for which neither the app nor an earlier acceptance
    /// has named a service, and which the preferred one does not know, is shown to the other one once.
    func deliver(_ notification: Notification, to subscription: Subscription) async -> Delivery {
        let client: Client
        let environment: Environment
        switch services {
        case .substitute(let client):
            return Delivery(outcome: await client.send(notification), environment: nil)
        case .both(_, _, let preferred):
            environment = subscription.environment.flatMap(Environment.init(rawValue:)) ?? preferred
            client = self.client(for: environment)
        }
        let deadline = client.deadlineFromNow
        let first = Delivery(outcome: await client.send(notification, by: deadline), environment: environment)
        guard
            case .deviceGone(let rejection) = first.outcome, rejection.reason == .badDeviceToken,
            subscription.environment == nil, subscription.acceptedAt == nil
        else { return first }

        let other = environment.other
        let second = Delivery(
            outcome: await self.client(for: other).send(notification, by: deadline),
            environment: other
        )
        switch second.outcome {
        case .accepted, .tryAgain: return second
        case .deviceGone(let rejection): return rejection.status == 410 ? second : first
        // The key may be for one service only; then the word of the other is the only one there is.
        case .misconfigured: return first
        }
    }

    /// Has both services see a new provider key.
    package func replaceConnections() {
        for client in clients { client.replaceConnection() }
    }

    /// Ends both; what is under way is answered.
    package func stop() {
        for client in clients { client.stop() }
    }

    private func client(for environment: Environment) -> Client {
        switch (services, environment) {
        case (.substitute(let client), _): client
        case (.both(let production, _, _), .production): production
        case (.both(_, let sandbox, _), .sandbox): sandbox
        }
    }

    /// What goes on between the relay and each of the services.
    package var traffic: [(service: AppleService, traffic: Client.Traffic)] {
        switch services {
        case .both(let production, let sandbox, _):
            [(.production, production.traffic), (.sandbox, sandbox.traffic)]
        case .substitute(let client): [(.substitute, client.traffic)]
        }
    }

    private var clients: [Client] {
        switch services {
        case .both(let production, let sandbox, _): [production, sandbox]
        case .substitute(let client): [client]
        }
    }
}
