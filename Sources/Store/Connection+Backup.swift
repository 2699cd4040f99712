import CSQLite
import Glibc

extension Connection {
    /// Writes all there is to a new file, or leaves none; returns where it is.
    ///
    /// The file has its name only once it was read back and is on the disk. Until then it is a draft beside it, and a
    /// draft that was left by a process that was killed is removed.
    ///
    /// - Parameter earlier: a backup that will do if it turns out to be the same.
    /// - Throws: ``StoreError/exists(path:)`` rather than overwriting anything, else
    ///   ``StoreError/notBackedUp(path:because:)``.
    func backUp(to path: String, unlessLike earlier: String? = nil) throws(StoreError) -> String {
        guard !DurableFile.exists(path) else { throw .exists(path: path) }
        let draft = path + BackupDirectory.draftSuffix
        unlink(draft)
        do throws(StoreError) {
            try DurableFile.create(draft, owner: self.path)
            try writeCopy(to: draft)
            if let earlier, DurableFile.areAlike(draft, earlier) {
                unlink(draft)
                return earlier
            }
            try DurableFile.publish(draft, as: path)
            return path
        } catch {
            unlink(draft)
            if case .exists = error { throw error }
            throw .notBackedUp(path: path, because: error)
        }
    }

    /// Fills an empty file with what is here, without what was deleted, and makes sure that it arrived.
    private func writeCopy(to path: String) throws(StoreError) {
        // The rows are those of one moment, the log's included, and neither the file nor its log is written to.
        // https://sqlite.org/lang_vacuum.html#vacuuminto
        try prepare("VACUUM INTO ?1", for: .backUp).run([.text(path)])
        let copy = try Connection(frozen: path)
        var flaw = try copy.damage()
        for name in ["application_id", "user_version"] where try copy.pragma(name) != pragma(name) {
            flaw = flaw ?? "\(name) differs"
        }
        let (count, copied) = (try countRows(), try copy.countRows())
        if count != copied { flaw = flaw ?? "\(copied) subscriptions of \(count)" }
        guard let flaw else { return }
        let message = "what was written reads differently (\(flaw))"
        throw .inputOutput(StoreError.Cause(operation: .backUp, code: SQLITE_IOERR, message: message))
    }
}
