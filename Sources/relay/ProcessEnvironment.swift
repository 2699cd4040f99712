import FoundationEssentials
import RelayCore

/// The variables that the relay starts with.
struct ProcessEnvironment {
    let variables: [String: String]
    /// Names in the file that the relay does not know, in order.
    let unknown: [String]

    /// The process's environment, and under it what the file sets.
    static func read(file: String?) throws(StartError) -> ProcessEnvironment {
        let process = ProcessInfo.processInfo.environment
        guard let file else { return ProcessEnvironment(variables: process, unknown: []) }
        let inFile = try variables(in: file)
        let known = Set(Variable.allCases.map(\.rawValue))
        return ProcessEnvironment(
            variables: inFile.merging(process) { _, fromProcess in fromProcess },
            unknown: inFile.keys.filter { !known.contains($0) }.sorted()
        )
    }

    private static func variables(in path: String) throws(StartError) -> [String: String] {
        let octets: [UInt8]
        do throws(FileError) {
            octets = try File.read(path).octets
        } catch {
            throw .environmentFile("--env-file names a file that \(error)")
        }
        do throws(EnvironmentFile.Malformed) {
            return try EnvironmentFile.parse(octets)
        } catch {
            throw .environmentFile("\(path) \(error)")
        }
    }
}
