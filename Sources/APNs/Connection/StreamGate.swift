/// How many notifications may be under way on one connection.
///
/// Apple allows a single stream until it has seen a valid provider token, while libcurl assumes a hundred until it is
/// told otherwise; what is then refused makes libcurl reconnect, again and again. So one goes first, and each acceptance
/// lets twice as many follow.
struct StreamGate {
    private let most: Int
    private(set) var limit: Int

    /// - Parameter most: streams in use at once when the gate is fully open; 0 keeps everything waiting.
    init(most: Int) {
        self.most = most
        limit = min(1, most)
    }

    /// Apple took one, so the connection lives and its token is valid.
    mutating func accepted() {
        limit = min(most, max(1, limit * 2))
    }

    /// The connection is a new one, or has been idle for so long that it may be dead: one goes first again.
    mutating func close() {
        limit = min(1, most)
    }
}
