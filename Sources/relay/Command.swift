/// What the program can be asked to do.
enum Command: String, CaseIterable {
    case serve
    case check
    case subscriptions
    case send
    case remove
    case backup
    case restore
    case rotateKey = "rotate-key"
    case healthcheck
    case completion

    /// What it takes behind its name.
    enum Operand: Equatable {
        case none
        case optional(String)
        case required(String)
    }

    /// What it is for, in a line of the help.
    var purpose: String {
        switch self {
        case .serve: "run the relay until SIGTERM or SIGINT"
        case .check: "see that everything is right, from Apple's key to the way in from outside"
        case .subscriptions: "list who is registered, and what became of their last push"
        case .send: "send a test alert to a subscription, all the way, and time each hop"
        case .remove: "delete a subscription"
        case .backup: "back up the database, into BACKUP_DIR unless FILE is named"
        case .restore: "put a backup in the place of the database of a stopped relay"
        case .rotateKey: "seal the database of a stopped relay with a new secret key"
        case .healthcheck: "ask the relay that runs whether it is well"
        case .completion: "print what completes these commands in bash or zsh"
        }
    }

    var operand: Operand {
        switch self {
        case .serve, .check, .subscriptions, .rotateKey, .healthcheck: .none
        case .send, .remove: .required("HASH")
        case .backup: .optional("FILE")
        case .restore: .required("FILE")
        case .completion: .required("bash|zsh")
        }
    }

    /// The options that it knows beside `--env-file`.
    var options: [Option] {
        switch self {
        case .check: [.json, .offline]
        case .subscriptions: [.json]
        case .serve, .send, .remove, .backup, .restore, .rotateKey, .healthcheck, .completion: []
        }
    }

    enum Option: String, CaseIterable {
        case json = "--json"
        case offline = "--offline"
    }

    /// How it is written.
    var synopsis: String {
        let name = self == .serve ? "[serve]" : rawValue
        let operand =
            switch operand {
            case .none: ""
            case .optional(let name): " [\(name)]"
            case .required(let name): " \(name)"
            }
        return "relay \(name)\(operand)" + options.map { " [\($0.rawValue)]" }.joined()
    }
}
