import APNs
import Crypto
import RelayCore
import Store
import Threads

/// `relay check`: what to print, and whether nothing has failed.
func check(
    _ arguments: Arguments,
    world: Check.World = Check.World()
) throws(StartError) -> (text: String, isOK: Bool) {
    try check(
        environmentFile: arguments.environmentFile,
        isJSON: arguments.options.contains(.json),
        isOffline: arguments.options.contains(.offline),
        world: world,
        database: lookAtDatabase,
        announce: announce
    )
}

/// Asks the relay that runs, and looks for itself where none does.
private func lookAtDatabase(
    _ files: StoreFiles,
    _ plan: BackupPlan?
) -> Result<DatabaseFacts, Check.Unavailable> {
    let control = Control(files: files, backups: plan)
    do throws(StartError) {
        if let facts: DatabaseFacts = try control.askRelay(.get, "/facts", within: .seconds(60)) {
            return .success(facts)
        }
    } catch {
        return .failure(Check.Unavailable(error.lines.joined(separator: "; ")))
    }
    do throws(StoreError) {
        if let facts = try DatabaseFacts(files, plan) { return .success(facts) }
        return .failure(Check.Unavailable("there is none yet: start the relay, which makes it"))
    } catch {
        let lines = StartError.store(error, files).lines
        return .failure(Check.Unavailable(lines.joined(separator: "; ")))
    }
}

/// Has the relay that runs answer one POST.
private func announce(_ files: StoreFiles) -> Result<Announcement?, Check.Unavailable> {
    do throws(StartError) {
        guard let ticket: ProbeTicket = try Control(files: files, backups: nil).askRelay(.post, "/probe") else {
            return .success(nil)
        }
        guard let answer = Base64URL.decode(ticket.answer.utf8) else { throw Control.otherVersion }
        return .success(Announcement(path: ticket.path, answer: answer))
    } catch {
        return .failure(Check.Unavailable(error.lines.joined(separator: "; ")))
    }
}

/// The same with a world of the caller's.
///
/// - Parameters:
///   - isJSON: for programs, in place of the lines for people.
///   - isOffline: leaves out what needs a network.
///   - database: what is known of the database, from the relay that runs or from the file.
///   - announce: has the running relay answer one POST with what it names; nil when none runs.
func check(
    environmentFile: String?,
    isJSON: Bool,
    isOffline: Bool,
    world: Check.World = Check.World(),
    database: Check.Look,
    announce: Check.Announce
) throws(StartError) -> (text: String, isOK: Bool) {
    let environment = try ProcessEnvironment.read(file: environmentFile)
    let check = Check(
        variables: environment.variables,
        unknown: environment.unknown,
        isOffline: isOffline,
        world: world
    )
    let workers: Workers
    do throws(ThreadFailure) { workers = try Workers() } catch { throw .thread(code: error.code) }
    let push = { (configuration: Configuration, notification: Notification) in
        pushOnce(notification, configuration, clocks: world.clocks, on: workers)
    }
    let report = CheckReport(check.run(push: push, database: database, announce: announce))
    return (isJSON ? report.json : report.text, report.isOK)
}

/// Sends one notification to the service that the relay prefers, with the provider token that it keeps.
private func pushOnce(
    _ notification: Notification,
    _ configuration: Configuration,
    clocks: Clocks,
    on workers: Workers
) -> Outcome {
    let token = ProviderToken(
        key: configuration.providerKey,
        clock: ProviderToken.Clock(now: clocks.now, uptime: clocks.uptime),
        file: TokenFile(path: configuration.storeFiles.database + ".provider-token")
    )
    let client = Client(
        configuration: Client.Configuration(
            origin: configuration.appleURL ?? configuration.environment.origin,
            topic: configuration.topic,
            certificateAuthorities: configuration.certificateAuthorities
        ),
        token: token
    )
    defer { client.stop() }
    return waiting(on: workers) { await client.send(notification) } ?? .tryAgain(.stopping)
}
