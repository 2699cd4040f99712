/// What a command line asks for.
struct Arguments: Equatable {
    var command = Command.serve
    var environmentFile: String?
    /// What the command is about: a hash, a file, a shell.
    var operand: String?
    var options: Set<Command.Option> = []

    enum Request: Equatable {
        case run(Arguments)
        case help
        case version
    }

    /// Why a command line cannot be followed; a lower-case sentence.
    struct Malformed: Error, Equatable, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// Reads the arguments behind the program's name; `--help` and `--version` win over everything else.
    static func parse(_ arguments: [String]) -> Result<Request, Malformed> {
        if arguments.contains(where: { ["--help", "-h", "help"].contains($0) }) { return .success(.help) }
        if arguments.contains("--version") { return .success(.version) }
        do throws(Malformed) { return .success(.run(try Arguments(arguments))) } catch { return .failure(error) }
    }

    private init(_ arguments: [String]) throws(Malformed) {
        var rest = arguments[...]
        var isNamed = false
        while let argument = rest.popFirst() {
            if argument == "--env-file" || argument.hasPrefix("--env-file=") {
                let inline = argument.hasPrefix("--env-file=") ? String(argument.dropFirst("--env-file=".count)) : nil
                guard environmentFile == nil, let file = inline ?? rest.popFirst(), !file.isEmpty else {
                    throw Malformed("--env-file takes one file, once")
                }
                environmentFile = file
            } else if let option = Command.Option(rawValue: argument) {
                options.insert(option)
            } else if argument.hasPrefix("-") {
                throw Malformed("there is no option \(argument)")
            } else if !isNamed {
                guard let command = Command(rawValue: argument) else {
                    throw Malformed("there is no command \(argument)")
                }
                self.command = command
                isNamed = true
            } else {
                guard operand == nil, command.operand != .none, !argument.isEmpty else {
                    throw Malformed("\(command.rawValue) does not take \(argument)")
                }
                operand = argument
            }
        }
        if let option = options.first(where: { !command.options.contains($0) }) {
            throw Malformed("\(command.rawValue) has no option \(option.rawValue)")
        }
        if case .required(let name) = command.operand, operand == nil {
            throw Malformed("\(command.rawValue) takes a \(name)")
        }
    }
}
