import Synchronization

extension Store {
    /// Remembers when Apple last accepted a push of a subscription, in Unix seconds; nothing is written yet.
    ///
    /// No subscription is no error.
    package func note(_ id: SubscriptionID, acceptedAt time: Int64) {
        if hasPlace(for: id) { notes.withLock { $0.accepted(id, at: time) } }
    }

    /// Remembers when a push of a subscription last failed, in Unix seconds, and why; nothing is written yet.
    ///
    /// - Parameter failure: a few words such as a reason of Apple's, cut at 200 octets; never anything secret, since it is
    ///   stored in the clear and shown to the operator.
    package func note(_ id: SubscriptionID, failure: String, at time: Int64) {
        if hasPlace(for: id) { notes.withLock { $0.failed(id, failure, at: time) } }
    }

    /// Writes down in one transaction what was noted; after an error the notes are kept for the next time.
    package func flushNotes() throws(StoreError) {
        // Taken before, since more may come while it is written.
        let taken = notes.withLock { $0.take() }
        guard !taken.isEmpty else { return }
        do throws(StoreError) {
            try write(for: .note, isPromised: false) { (database) throws(StoreError) in try taken.write(to: database) }
        } catch {
            notes.withLock { $0.putBack(taken) }
            throw error
        }
    }

    /// Whether a note on the subscription may be kept: there are never more of them than there are rows.
    private func hasPlace(for id: SubscriptionID) -> Bool {
        let notes = notes.withLock { $0 }
        if notes[id] != nil { return true }
        do throws(StoreError) {
            let database = try open()
            guard try database.has(id) else { return false }
            if try notes.byRow.count >= database.count() {
                for id in notes.byRow.keys where try !database.has(id) { self.notes.withLock { $0.forget(id) } }
            }
            return true
        } catch {
            // A note is no reason for anything to fail, and a database that cannot be read says so by itself.
            return false
        }
    }
}

extension Database {
    fileprivate func has(_ id: SubscriptionID) throws(StoreError) -> Bool {
        try exists.first([.blob(id.digest)]) { _ in true } ?? false
    }
}
