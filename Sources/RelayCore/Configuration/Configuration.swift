package import APNs
package import HTTPServer
package import Store

/// Everything that an operator decides, read once at the start and valid as a whole.
package struct Configuration: Sendable {
    /// The origin of every endpoint, `https://push.example.org`, without a slash at its end.
    package let publicURL: String
    package let listenAddress: ListenAddress
    package let storeFiles: StoreFiles
    package let subscribeTokens: SubscribeTokens
    /// Subscriptions in total.
    package let maxSubscriptions: Int
    /// Registrations that are taken at once, of all apps together, and as many again spread over each hour.
    package let maxRegistrationsPerHour: Int
    /// Pushes that one subscription takes at once, and as many again spread over each 40 s.
    package let maxPushesAtOnce: Int
    package let providerKey: ProviderKey
    package let topic: String
    /// The service of Apple's to try first for a token of which nothing is known.
    package let environment: Environment
    /// An origin in the place of both of Apple's services.
    package let appleURL: String?
    package let certificateAuthorities: String?
    package let sounds: Sounds
    /// `nil` makes none by itself.
    package let backups: BackupPlan?
    /// Where numbers and the page are served; `nil` serves none.
    package let metricsAddress: ListenAddress?
    package let logLevel: Log.Level
    package let logFormat: Log.Format
    /// What works but should be mended; one sentence each.
    package let warnings: [Problem]

    /// Reads the variables.
    ///
    /// - Parameters:
    ///   - variables: the process's environment, joined with the file of `--env-file`.
    ///   - readFile: gives a file's octets and mode; it throws the reason why it cannot.
    /// - Throws: every problem there is, not only the first: an operator mends all of them in one go.
    package init(
        variables: [String: String],
        readFile: (String) throws(FileError) -> File = File.read
    ) throws(Problems) {
        var reader = VariableReader(variables)

        let publicURL = reader.publicURL()
        let listenAddress = reader.optional(.listenAddress, default: "127.0.0.1:8080") { text throws(Fault) in
            try parseListenAddress(text)
        }
        let backups = reader.backupPlan()
        let storeFiles = reader.storeFiles(backups: backups?.map(\.directory) ?? nil)
        let tokens = reader.required(.subscribeToken, "the app's bearer token") { text throws(Fault) in
            guard let tokens = SubscribeTokens(parsing: text) else {
                throw Fault("holds no usable token: set printable ASCII without spaces, several with commas between")
            }
            return tokens
        }
        let maxSubscriptions = reader.optional(.maxSubscriptions, default: "1000") { text throws(Fault) in
            try parseCount(text)
        }
        let maxRegistrations = reader.optional(.maxRegistrationsPerHour, default: "120") { text throws(Fault) in
            try parseCount(text)
        }
        let maxPushes = reader.optional(.maxPushesAtOnce, default: "20") { text throws(Fault) in
            try parseCount(text)
        }
        let keyFile = reader.required(.apnsKeyFile, "the path of the .p8 file from developer.apple.com") {
            text throws(Fault) in try readKey(text, with: readFile)
        }
        let keyID = reader.required(.apnsKeyID, "the ten characters in the .p8 file's name", parse: parseAppleID)
        let teamID = reader.required(.apnsTeamID, "your ten-character team id", parse: parseAppleID)
        let topic = reader.required(.apnsTopic, "the app's bundle id", parse: parseTopic)
        let appleEnvironment = reader.optional(.apnsEnvironment, default: "production", parse: parseEnvironment)
        let appleURL = reader.optional(.apnsURL, default: "") { text throws(Fault) in
            text.isEmpty ? nil : try parseOrigin(text, allowsPlainHTTP: false)
        }
        let authorities = reader.optional(.apnsCAFile, default: "") { text throws(Fault) in
            text.isEmpty ? nil : try checkCertificates(text, with: readFile)
        }
        let sounds = reader.optional(.sounds, default: "") { text throws(Fault) in try Sounds(parsing: text) }
        let metricsAddress = reader.optional(.metricsAddress, default: "", parse: parseMetricsAddress)
        let logLevel = reader.optional(.logLevel, default: Log.Level.info.rawValue) { text throws(Fault) in
            try parseChoice(text) as Log.Level
        }
        let logFormat = reader.optional(.logFormat, default: Log.Format.text.rawValue) { text throws(Fault) in
            try parseChoice(text) as Log.Format
        }

        guard
            reader.problems.isEmpty,
            let publicURL, let listenAddress, let storeFiles, let tokens, let maxSubscriptions, let maxRegistrations,
            let maxPushes, let keyFile, let keyID, let teamID, let topic, let appleEnvironment, let appleURL,
            let authorities,
            let sounds, let backups, let metricsAddress, let logLevel,
            let logFormat
        else { throw Problems(all: reader.problems) }

        self.publicURL = publicURL
        self.listenAddress = listenAddress
        self.storeFiles = storeFiles
        self.sounds = sounds
        self.backups = backups
        self.metricsAddress = metricsAddress
        self.logLevel = logLevel
        self.logFormat = logFormat
        subscribeTokens = tokens
        self.maxSubscriptions = maxSubscriptions
        maxRegistrationsPerHour = maxRegistrations
        maxPushesAtOnce = maxPushes
        providerKey = ProviderKey(privateKey: keyFile.key, keyID: keyID, teamID: teamID)
        self.topic = topic
        environment = appleEnvironment
        self.appleURL = appleURL
        certificateAuthorities = authorities
        var warnings: [Problem] = []
        if tokens.hasShortToken {
            let text = "holds a token of fewer than 16 characters: make one with `openssl rand -hex 32`"
            warnings.append(Problem(variable: .subscribeToken, text: text))
        }
        if keyFile.isReadableByAll {
            let text = "names a file that every user of this machine can read: run `chmod 600` on it"
            warnings.append(Problem(variable: .apnsKeyFile, text: text))
        }
        if let metricsAddress, !metricsAddress.isLocal {
            let text = "can be reached from other machines, and shows labels and accounts: set 127.0.0.1 and a port"
            warnings.append(Problem(variable: .metricsAddress, text: text))
        }
        self.warnings = warnings
    }
}
