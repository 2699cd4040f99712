/// What a command line asks for.
enum Arguments: Equatable {
    case serve(environmentFile: String?)
    case rotateKey(environmentFile: String?)
    case help
    case version

    /// Why a command line cannot be followed; a lower-case sentence.
    struct Malformed: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    /// Reads the arguments behind the program's name; `--help` and `--version` win over everything else.
    static func parse(_ arguments: some Sequence<String>) -> Result<Arguments, Malformed> {
        var environmentFile: String?
        var command: String?
        var rest = Array(arguments)[...]
        if rest.contains(where: { ["--help", "-h", "help"].contains($0) }) { return .success(.help) }
        if rest.contains("--version") { return .success(.version) }
        while let argument = rest.popFirst() {
            switch argument {
            case let option where option.hasPrefix("--env-file="):
                rest.insert(
                    contentsOf: ["--env-file", String(option.dropFirst("--env-file=".count))],
                    at: rest.startIndex
                )
            case "--env-file":
                guard environmentFile == nil, let file = rest.popFirst(), !file.isEmpty else {
                    return .failure(Malformed(description: "--env-file takes one file, once"))
                }
                environmentFile = file
            case let option where option.hasPrefix("-"):
                return .failure(Malformed(description: "there is no option \(option)"))
            case "serve" where command == nil, "rotate-key" where command == nil:
                command = argument
            default:
                return .failure(Malformed(description: "there is no command \(argument)"))
            }
        }
        switch command {
        case "rotate-key": return .success(.rotateKey(environmentFile: environmentFile))
        default: return .success(.serve(environmentFile: environmentFile))
        }
    }
}
