/// Whether anything was met over a connection for which the next start should look through the whole file.
final class Soundness {
    var isInDoubt = false

    /// Takes note of an error, and returns it.
    func considering(_ error: StoreError) -> StoreError {
        switch error {
        // What the system could not write may be missing later, though it was there as long as it was in memory.
        case .corrupt, .notADatabase, .inputOutput: isInDoubt = true
        default: break
        }
        return error
    }
}
