/// Which sound an alert makes, by the type of its notification (`SOUNDS`).
package struct Sounds: Sendable, Equatable {
    private enum Sound: Equatable {
        case silence
        case named(String)
    }

    private let byType: [String: Sound]

    /// Reads `like=none,mention=chime.caf`; an empty text changes nothing.
    init(parsing text: String) throws(Fault) {
        var byType: [String: Sound] = [:]
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map {
                String($0.drop(while: { $0 == " " }).reversed().drop(while: { $0 == " " }).reversed())
            }
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw Fault("holds a pair that is not type=sound: write it as like=none,mention=chime.caf")
            }
            guard parts.allSatisfy({ $0.utf8.count <= 64 && $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } }) else {
                throw Fault("holds a name that is longer than 64 characters or not ASCII: rename the sound file")
            }
            guard byType[parts[0]] == nil else {
                throw Fault("names the type \(parts[0]) twice: leave one of the two")
            }
            byType[parts[0]] = parts[1] == "none" ? .silence : .named(parts[1])
        }
        self.byType = byType
    }

    /// The name of the sound, `default` for a type without one of its own, nil for silence.
    func sound(for notificationType: String?) -> String? {
        switch notificationType.flatMap({ byType[$0] }) {
        case .none: "default"
        case .silence: nil
        case .named(let name): name
        }
    }
}
