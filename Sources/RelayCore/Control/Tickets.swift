import Crypto
import Store
import Synchronization

/// Endpoints that the relay gives to its operator: each takes one request, within a minute.
///
/// Ids of subscriptions are not known here, only their digests, so that whoever wants to try the way to one gets a way of
/// its own that ends at the same row.
package final class Tickets: Sendable {
    /// What a request to such an endpoint is for.
    enum Purpose: Sendable, Equatable {
        /// To prove that it arrives here: the answer that nobody else can give.
        case probe(answer: [UInt8])
        /// To be delivered as a test alert to this subscription.
        case test(SubscriptionID)
    }

    private struct Ticket {
        let purpose: Purpose
        let validUntil: Duration
    }

    private static let validity = Duration.seconds(60)
    /// More than one operator needs, and a bound of what a loop of theirs may hold.
    private static let most = 64

    private let uptime: @Sendable () -> Duration
    private let tickets = Mutex<[SubscriptionID: Ticket]>([:])

    package init(uptime: @escaping @Sendable () -> Duration) {
        self.uptime = uptime
    }

    /// The path of a new endpoint, which is as hard to guess as a subscription's; nil while there are too many.
    func issue(_ purpose: Purpose) throws(CryptoError) -> String? {
        let id = try Base64URL.encode(Random.octets(16))
        let now = uptime()
        return tickets.withLock { tickets in
            tickets = tickets.filter { $0.value.validUntil > now }
            guard tickets.count < Self.most else { return nil }
            tickets[SubscriptionID(hashing: Array(id.utf8))] = Ticket(
                purpose: purpose,
                validUntil: now + Self.validity
            )
            return "/wp/\(id)"
        }
    }

    /// What a request is for that comes to this id, once.
    func take(_ id: SubscriptionID) -> Purpose? {
        tickets.withLock { tickets in
            guard !tickets.isEmpty, let ticket = tickets.removeValue(forKey: id) else { return nil }
            return ticket.validUntil > uptime() ? ticket.purpose : nil
        }
    }
}
