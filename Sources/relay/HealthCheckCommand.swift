import RelayCore

/// `relay healthcheck`: `ok`, or in one line why the relay is not well.
func healthCheck(environmentFile: String?) throws(StartError) -> (text: String, isOK: Bool) {
    let variables = try ProcessEnvironment.read(file: environmentFile).variables
    let healthCheck: HealthCheck
    do throws(Problems) { healthCheck = try HealthCheck(variables: variables) } catch { throw .configuration(error) }
    return healthCheck.run()
}
