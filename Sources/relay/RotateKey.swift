import RelayCore
import Store

/// `relay rotate-key`: seals the database with a new key, and returns what to tell the operator.
func rotateKey(environmentFile: String?) throws(StartError) -> String {
    let variables = try ProcessEnvironment.read(file: environmentFile).variables
    let files: StoreFiles
    do throws(Problems) { files = try StoreFiles(migrating: variables) } catch { throw .configuration(error) }
    let count: Int
    do throws(StoreError) { count = try Store.rotateKey(files) } catch { throw .store(error, files) }
    let backup: String
    do throws(StartError) {
        backup =
            try files.backups != nil
            ? backUp(to: nil, environmentFile: environmentFile)
            : "there is no backup that this key opens yet: run relay backup FILE"
    } catch {
        backup = "no backup with this key could be made: \(error.lines.joined(separator: "; "))"
    }
    return """
        sealed \(count) subscriptions with a new key, which is now in \(files.secretKey)
        keep a copy of that file with your passwords: earlier backups of the database need the earlier key
        \(backup)
        """
}
