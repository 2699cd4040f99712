/// What happened, as the instance names it; servers of the fediverse have several words for some of it.
public enum NotificationType: Sendable, Hashable {
    /// A status was liked: `like`, `favourite`.
    case like
    /// A status was shared: `share`, `reblog`.
    case share
    /// Somebody follows: `follow`.
    case follow
    /// Somebody asks to follow: `follow_request`.
    case followRequest
    /// A status names the user: `mention`.
    case mention
    /// A status was commented on: `comment`.
    case comment
    /// A direct message: `direct`, `dm`, `direct_message`.
    case directMessage
    /// Somebody that the user watches has posted: `status`, `new_post`.
    case newPost
    /// A poll has ended: `poll`.
    case poll
    /// Any other word, of at most 64 letters, digits, `_`, `-`, `.` and `:`.
    case other(String)

    /// Reads the word of a push; nil for what is no word.
    public init?(_ word: String) {
        switch word {
        case "like", "favourite": self = .like
        case "share", "reblog": self = .share
        case "follow": self = .follow
        case "follow_request": self = .followRequest
        case "mention": self = .mention
        case "comment": self = .comment
        case "direct", "dm", "direct_message": self = .directMessage
        case "status", "new_post": self = .newPost
        case "poll": self = .poll
        default:
            guard (1...64).contains(word.utf8.count),
                word.utf8.allSatisfy({ $0.isLetterOrDigit || "_-.:".utf8.contains($0) })
            else { return nil }
            self = .other(word)
        }
    }
}
