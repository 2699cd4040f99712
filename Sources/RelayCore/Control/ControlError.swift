package import Store

/// Why a command is not done; a lower-case sentence that ends in a remedy.
package enum ControlError: Error {
    case unknownRoute
    case malformedHash
    case unknownSubscription
    /// What the hash may mean: more than one.
    case ambiguous([SubscriptionSummary])
    case tooManyTickets
    case noBackupDirectory
    case relativeBackupPath
    case ownFile
    case database(StoreError)
    /// What the relay cannot do; the words behind "the relay".
    case failed(String)

    static func mapping<Value>(_ work: () async throws(StoreError) -> Value) async throws(ControlError) -> Value {
        do throws(StoreError) { return try await work() } catch { throw .database(error) }
    }

    var status: Int {
        switch self {
        case .unknownRoute, .unknownSubscription: 404
        case .malformedHash, .noBackupDirectory, .relativeBackupPath, .ownFile: 400
        case .ambiguous: 409
        case .tooManyTickets: 429
        case .database: 503
        case .failed: 500
        }
    }

    var word: String {
        switch self {
        case .unknownRoute: "unknown_route"
        case .malformedHash: "malformed_hash"
        case .unknownSubscription: "unknown_subscription"
        case .ambiguous: "ambiguous_hash"
        case .tooManyTickets: "too_many_tests"
        case .noBackupDirectory: "no_backup_directory"
        case .relativeBackupPath: "relative_backup_path"
        case .ownFile: "own_file"
        case .database: "database_unavailable"
        case .failed: "failed"
        }
    }

    package var message: String {
        switch self {
        case .unknownRoute:
            "the relay that runs does not know this command: restart it, so that both are of one version"
        case .malformedHash: "that is no hash of a subscription: copy eight digits or more from `relay subscriptions`"
        case .unknownSubscription: "there is no subscription of that hash: see `relay subscriptions`"
        case .ambiguous(let found):
            "\(found.count) subscriptions begin with that hash: name one by all of its digits: "
                + found.map { "\($0.id.fullName) (\(SubscriptionReport($0).name ?? "no label"))" }.joined(
                    separator: ", "
                )
        case .tooManyTickets: "too many tests are under way: try again in a minute"
        case .noBackupDirectory: "there is no place for it: name a file, or set BACKUP_DIR"
        case .ownFile: "a name that begins with DB_PATH is the database's own: choose another"
        case .relativeBackupPath: "the relay runs in another directory: name the file by its whole path"
        case .database(let error): "\(error)"
        case .failed(let text): "the relay \(text)"
        }
    }
}
