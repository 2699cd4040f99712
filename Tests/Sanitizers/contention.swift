import Dispatch
import Synchronization

/// Threads that wait for one lock; with an argument they also count beside it, one without ever taking it: a race.
///
/// scripts/sanitize runs it both ways, since a sanitizer that reports nothing is right only if it would report something.
final class Counters: Sendable {
    let locked = Mutex<[Int: Int]>([:])
    nonisolated(unsafe) var beside = 0
}

let counters = Counters()
let isRacing = CommandLine.arguments.count > 1
DispatchQueue.concurrentPerform(iterations: 8) { number in
    for round in 0..<20_000 {
        if isRacing, round % 1_000 == 0 { counters.beside += 1 }
        if isRacing, number == 0 { continue }
        counters.locked.withLock { $0[round % 7, default: 0] += number }
    }
}
print(counters.locked.withLock { $0.values.reduce(0, +) })
