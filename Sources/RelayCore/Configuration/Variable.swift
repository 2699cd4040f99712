/// The environment variables that the relay reads; `relay.env.example` documents each, and a test holds the two together.
package enum Variable: String, CaseIterable, Sendable {
    case publicURL = "PUBLIC_URL"
    case listenAddress = "LISTEN_ADDR"
    case databasePath = "DB_PATH"
    case secretKeyFile = "RELAY_SECRET_KEY_FILE"
    case subscribeToken = "SUBSCRIBE_TOKEN"
    case apnsKeyFile = "APNS_KEY_FILE"
    case apnsKeyID = "APNS_KEY_ID"
    case apnsTeamID = "APNS_TEAM_ID"
    case apnsTopic = "APNS_TOPIC"
    case apnsEnvironment = "APNS_ENVIRONMENT"
    case apnsURL = "APNS_URL"
    case apnsCAFile = "APNS_CA_FILE"
    case sounds = "SOUNDS"
    case logLevel = "LOG_LEVEL"
    case logFormat = "LOG_FORMAT"
}
