/// A text that shows in no print, dump or interpolation of whatever holds it.
struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    let text: String

    init(_ text: String) { self.text = text }

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
