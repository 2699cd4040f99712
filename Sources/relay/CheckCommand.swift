import APNs
import RelayCore
import Store
import Threads

/// `relay check`: what to print, and whether nothing has failed.
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
