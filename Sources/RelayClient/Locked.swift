import Foundation

/// A value that one thread at a time may touch; `Mutex` would ask for iOS 18.
///
/// The compiler cannot see that it is safe to share: `value` is private, and the one function that touches it holds the
/// lock for as long.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
