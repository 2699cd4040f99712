extension CheckLine {
    /// A line for each variable that is set or wrong, and for each name in the file that is no variable.
    ///
    /// - Parameters:
    ///   - problems: what ``Configuration`` refuses.
    ///   - warnings: what it takes but warns of.
    ///   - unknown: names of the file of `--env-file`; their values are not looked at.
    static func configuration(
        _ variables: [String: String],
        problems: [Problem] = [],
        warnings: [Problem] = [],
        unknown: [String] = []
    ) -> [CheckLine] {
        let known = Variable.allCases.compactMap { variable -> CheckLine? in
            let name = variable.rawValue
            if let problem = problems.first(where: { $0.variable == variable }) {
                return CheckLine(name, .failed, sentence: problem.text)
            }
            // The key's file has a line of its own.
            if variable != .apnsKeyFile, let warning = warnings.first(where: { $0.variable == variable }) {
                return CheckLine(name, .warning, sentence: warning.text)
            }
            guard let value = variables[name], !value.isEmpty else { return nil }
            return CheckLine(name, .ok, variable.isSecret ? redacted(value) : value)
        }
        return known
            + unknown.map { CheckLine($0, .warning, "is no variable of the relay", remedy: "check its spelling") }
    }

    private static func redacted(_ tokens: String) -> String {
        let count = tokens.split(separator: ",").count
        return count == 1 ? "set, not shown" : "\(count) tokens, not shown"
    }
}

extension Variable {
    /// Whether the value itself is a secret and not the name of one.
    var isSecret: Bool {
        switch self {
        case .subscribeToken: true
        case .publicURL, .listenAddress, .databasePath, .secretKeyFile, .maxSubscriptions, .maxRegistrationsPerHour,
            .maxPushesAtOnce,
            .apnsKeyFile, .apnsKeyID, .apnsTeamID, .apnsTopic, .apnsEnvironment, .apnsURL, .apnsCAFile, .sounds,
            .backupDirectory, .backupInterval, .backupKeep, .metricsAddress, .logLevel, .logFormat:
            false
        }
    }
}
