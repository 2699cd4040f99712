/// What was found out about one thing.
package struct CheckLine: Sendable, Equatable {
    package enum State: String, Sendable {
        case ok
        /// It works, but should be mended.
        case warning
        case failed
        /// It was not looked at.
        case skipped
    }

    package let name: String
    package let state: State
    /// One line without a secret.
    package let text: String
    /// What to do, with a warning or a failure.
    package let remedy: String?

    /// Texts may hold what a stranger sent: control characters, which could rewrite a terminal, become question marks.
    package init(_ name: String, _ state: State, _ text: String, remedy: String? = nil) {
        self.name = name.printable
        self.state = state
        self.text = text.printable
        self.remedy = remedy?.printable
    }

    /// Takes a sentence of the relay's apart: what is wrong, a colon, and the remedy.
    package init(_ name: String, _ state: State, sentence: String) {
        guard let colon = sentence.ranges(of: ": ").last else {
            self.init(name, state, sentence)
            return
        }
        self.init(
            name,
            state,
            String(sentence[..<colon.lowerBound]),
            remedy: String(sentence[colon.upperBound...])
        )
    }
}
