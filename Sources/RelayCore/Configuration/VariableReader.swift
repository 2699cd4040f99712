/// What is wrong with one value: a lower-case sentence that ends in a remedy.
struct Fault: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

/// Takes variables out of an environment and gathers what is wrong with them instead of stopping at the first.
struct VariableReader {
    private let environment: [String: String]
    private(set) var problems: [Problem] = []

    init(_ environment: [String: String]) {
        self.environment = environment
    }

    /// The parsed value of a variable that has no default; `meaning` completes "set it to …".
    mutating func required<Value>(
        _ variable: Variable,
        _ meaning: String,
        parse: (String) throws(Fault) -> Value
    ) -> Value? {
        guard let text = environment[variable.rawValue], !text.isEmpty else {
            problems.append(Problem(variable: variable, text: "is missing: set it to \(meaning)"))
            return nil
        }
        return value(of: variable, text, parse: parse)
    }

    /// The parsed value of a variable, or of its default where it is not set or empty.
    mutating func optional<Value>(
        _ variable: Variable,
        default text: String,
        parse: (String) throws(Fault) -> Value
    ) -> Value? {
        let set = environment[variable.rawValue] ?? ""
        return value(of: variable, set.isEmpty ? text : set, parse: parse)
    }

    private mutating func value<Value>(
        of variable: Variable,
        _ text: String,
        parse: (String) throws(Fault) -> Value
    ) -> Value? {
        do throws(Fault) {
            return try parse(text)
        } catch {
            problems.append(Problem(variable: variable, text: error.text))
            return nil
        }
    }
}
