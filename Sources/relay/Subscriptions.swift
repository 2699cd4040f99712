import APNs
import FoundationEssentials
import RelayCore
import Store

/// `relay subscriptions`: what to print.
func listSubscriptions(_ arguments: Arguments) throws(StartError) -> String {
    let reports: [SubscriptionReport] = try Control(environmentFile: arguments.environmentFile)
        .ask(.get, "/subscriptions")
    guard arguments.options.contains(.json) else { return SubscriptionTable(reports).text }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(reports) else { throw .command("cannot be written as JSON") }
    return String(decoding: json, as: UTF8.self)
}

/// `relay remove HASH`: what to print.
func removeSubscription(_ arguments: Arguments) throws(StartError) -> String {
    let removed: SubscriptionReport = try Control(environmentFile: arguments.environmentFile)
        .ask(.post, "/subscriptions/\(try hash(arguments))/remove")
    return """
        removed \(removed.hash), \(removed.name ?? unnamed)
        its instance forgets the endpoint at its next push; the app has to register anew to be told again
        """
}

/// The hash that a command names, which becomes a segment of a path.
func hash(_ arguments: Arguments) throws(StartError) -> String {
    let hash = arguments.operand ?? ""
    guard SubscriptionID.isName(hash.lowercased()) else {
        throw .command(ControlError.malformedHash.message)
    }
    return hash
}

/// What a subscription is called that has neither label nor account.
let unnamed = "which has no label"
