/// What `relay --help` prints.
let usage = """
    relay: turns Pixelfed's Web Push into alerts of Apple's, for one operator and one app

    Usage:
    \(commandLines)
      relay --help | --version

    Options:
      --env-file FILE   read NAME=value lines from FILE; what is set in the environment wins
      --json            print for programs
      --offline         leave out what needs a network

    HASH is as `relay subscriptions` and the log have it. restore and rotate-key want the relay stopped, and send wants it
    running; subscriptions, remove and backup ask the one that runs, or do it themselves where none does.

    Environment (relay.env.example documents each variable):
      PUBLIC_URL        required  origin of the endpoints, https://push.example.org
      LISTEN_ADDR                 IPv4:port, [IPv6]:port or unix:/path (default 127.0.0.1:8080)
      DB_PATH           required  path of the SQLite file
      RELAY_SECRET_KEY_FILE       key that secrets in the database are sealed with (default DB_PATH.secret-key)
      SUBSCRIBE_TOKEN   required  the app's bearer token; several with commas between
      MAX_SUBSCRIPTIONS           subscriptions in total (default 1000)
      MAX_REGISTRATIONS_PER_HOUR  registrations at once, and as many again over each hour (default 120)
      MAX_PUSHES_AT_ONCE          pushes to one subscription at once, and as many again over each 40 s (default 20)
      APNS_KEY_FILE     required  path of the .p8 file
      APNS_KEY_ID       required  ten characters
      APNS_TEAM_ID      required  ten characters
      APNS_TOPIC        required  bundle id of the app
      APNS_ENVIRONMENT            production or sandbox, to be tried first (default production)
      APNS_URL                    another origin in Apple's place, for tests
      APNS_CA_FILE                certificates to trust in place of the system's, for tests
      SOUNDS                      sound by notification type, like=none,mention=chime.caf
      BACKUP_DIR                  directory of scheduled backups (default: none are made)
      BACKUP_INTERVAL             time between them, 1m to 30d (default 24h)
      BACKUP_KEEP                 how many are kept (default 14)
      METRICS_ADDR                port, or address, of the numbers and the page (default: not served)
      LOG_LEVEL                   debug, info, warning or error (default info)
      LOG_FORMAT                  text or json (default text)

    Signals: SIGTERM and SIGINT stop it, a second one ends it at once, SIGHUP has it read Apple's key again.
    Exit codes: 0 stopped as asked, done, or well; 1 cannot run, not done, or not well; 64 wrong arguments; 78 wrong
    configuration; 130 and 143 ended at once by a second SIGINT or SIGTERM.
    """

/// The commands, each with its purpose.
private let commandLines: String = {
    let width = Command.allCases.map(\.synopsis.count).max() ?? 0
    return Command.allCases.map { command in
        let space = String(repeating: " ", count: width - command.synopsis.count + 3)
        return "  \(command.synopsis)\(space)\(command.purpose)"
    }.joined(separator: "\n")
}()
