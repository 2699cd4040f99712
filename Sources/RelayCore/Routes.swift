package import HTTPServer
package import Store

/// The whole router: from a request to the handler that its path and method name, and from every error to its answer.
package struct Routes: Sendable {
    private let pushes: PushHandler
    private let registrations: RegistrationHandler
    private let tickets: Tickets
    private let tokens: SubscribeTokens
    private let store: Store
    private let backups: Backups
    private let log: Log
    private let meters: Meters
    private let repetitions: Repetitions

    package init(
        pushes: PushHandler,
        registrations: RegistrationHandler,
        tickets: Tickets,
        tokens: SubscribeTokens,
        store: Store,
        backups: Backups,
        clocks: Clocks,
        log: Log,
        meters: Meters
    ) {
        self.pushes = pushes
        self.registrations = registrations
        self.tickets = tickets
        self.tokens = tokens
        self.store = store
        self.backups = backups
        self.log = log
        self.meters = meters
        repetitions = Repetitions(uptime: clocks.uptime)
    }

    /// What the listener may read of a body before anybody has looked at the request.
    package static func bodyRule(for head: Head) -> BodyRule {
        guard let route = Route(head.target), route.allows(head.method) else {
            return BodyRule(limit: 65_536, isRequired: false)
        }
        return route.bodyRule
    }

    /// The answer to a request; there is always one.
    package func respond(to request: Request) async -> Response {
        let route = Route(request.head.target)
        var response: Response
        do throws(RelayError) {
            response = try await respond(to: request, at: route)
        } catch {
            if case .database = error { meters.databaseFailed() }
            report(error)
            response = error.response
        }
        // The app's answers hold keys, and a cached 204 or 401 would be as wrong.
        let isSaid = response.fields.contains { $0.name == "Cache-Control" }
        if route?.isForTheApp == true, !isSaid { response.fields.append(("Cache-Control", "no-store")) }
        return response
    }

    /// One line a minute for each cause, since whoever is refused can come ten thousand times a second; the others are
    /// for `debug` alone.
    private func report(_ error: RelayError) {
        // A client chooses the detail of its own mistakes: it would be a new cause each time.
        let word = error.word.rawValue
        let cause = error.level == .error ? "\(word) \(error.detail ?? "")" : word
        let leftOut = error.level > .debug ? repetitions.admit(cause) : nil
        log(
            leftOut == nil ? .debug : error.level,
            "refused",
            [
                "error": word, "detail": error.detail,
                "left_out": leftOut.flatMap { $0 > 0 ? "\($0)" : nil },
            ]
        )
    }

    private func respond(to request: Request, at route: Route?) async throws(RelayError) -> Response {
        guard let route else { throw .unknownRoute }
        guard route.allows(request.head.method) else { throw .methodNotAllowed(allow: route.allow) }
        if route.isForTheApp, !tokens.admit(request.head.fields.first("Authorization")) {
            if case .subscribe = route { meters.registrationEnded(.refused) }
            throw .unauthorized
        }
        switch route {
        case .health: return try await health()
        case .push(let name):
            let id = SubscriptionID(hashing: name)
            guard let purpose = tickets.take(id) else { return try await pushes.respond(to: request, id: id) }
            return try await respond(to: request, for: purpose)
        case .subscribe: return try await registrations.subscribe(request)
        case .subscription(let name):
            let id = SubscriptionID(hashing: name)
            return switch request.head.method {
            case "DELETE": try await registrations.unsubscribe(id)
            default: try await registrations.status(id)
            }
        case .read(let name): return try await registrations.markRead(SubscriptionID(hashing: name))
        case .unread(let name): return try await registrations.setUnread(SubscriptionID(hashing: name), request)
        case .badges(let name): return try await registrations.setBadges(SubscriptionID(hashing: name), request)
        case .test(let name): return try .json(200, await pushes.test(name))
        }
    }

    /// What came to an endpoint that the relay gave to its operator.
    private func respond(to request: Request, for purpose: Tickets.Purpose) async throws(RelayError) -> Response {
        switch purpose {
        case .probe(let answer): Response(status: 200, body: answer)
        case .test(let id): try .json(200, await pushes.test(request, id))
        }
    }

    /// Whether the database can be used and is backed up as it should be; Apple being down is not ill health.
    private func health() async throws(RelayError) -> Response {
        try await RelayError.mapping { () async throws(StoreError) in try await store.check() }
        if backups.isOverdue { throw .backupsOverdue }
        let fields = [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")]
        return Response(status: 200, fields: fields, body: Array("ok".utf8))
    }
}
