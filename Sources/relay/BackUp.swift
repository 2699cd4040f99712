import APNs
import FoundationEssentials
import Glibc
import RelayCore
import Store

/// `relay backup [FILE]`: what to print.
///
/// - Parameter file: where to; `BACKUP_DIR` unless given.
func backUp(to file: String?, environmentFile: String?) throws(StartError) -> String {
    // The relay that runs is in another directory.
    let request = BackupRequest(path: file.map(absolute))
    let report: BackupReport = try Control(environmentFile: environmentFile)
        // A large database takes its time to be copied.
        .ask(.post, "/backup", Array((try? JSONEncoder().encode(request)) ?? Data()), within: .seconds(600))
    return """
        backed up \(report.subscriptions) subscriptions to \(report.path) (\(report.octets) octets)
        it is worth nothing without the secret key: keep a copy of that apart from it
        """
}

/// `relay restore FILE`: what to print.
func restore(_ arguments: Arguments) throws(StartError) -> String {
    let variables = try ProcessEnvironment.read(file: arguments.environmentFile).variables
    let files: StoreFiles
    do throws(Problems) { files = try StoreFiles(variables: variables) } catch { throw .configuration(error) }
    let path = absolute(arguments.operand ?? "")
    do throws(StoreError) {
        let restored = try Store.restore(files, from: path)
        let before = restored.movedAside.map { "\nthe database of before is in \($0)" } ?? ""
        return """
            restored \(restored.count) subscriptions from \(path) to \(files.database)\(before)
            start the relay, and have each app opened once: whoever registered since then has to register anew
            """
    } catch {
        throw .restore(error, files)
    }
}

/// A path as this process means it, from the root.
private func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    return "\(String(cString: directory))/\(path)"
}
