/// One thing that is wrong with the configuration, as one line for the operator: the variable, the fault, the remedy.
package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
    package let variable: Variable
    /// A lower-case sentence that ends in a remedy and never repeats a secret.
    package let text: String

    package var description: String { "\(variable.rawValue) \(text)" }
}

/// All that is wrong with the configuration at once, in the order of the variables.
package struct Problems: Error, Sendable, Equatable {
    package let all: [Problem]
}
